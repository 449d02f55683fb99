// Runs inside the served HTML before anything is painted: the theme, and the language for Gradio's own words.
(function () {
  var root = document.documentElement, query = new URLSearchParams(location.search), stored = null;
  try { stored = localStorage.getItem("qrelboard-theme"); } catch (refused) { /* storage may be closed; the system decides */ }
  var asked = query.get("theme") || query.get("__theme") || stored;
  var dark = matchMedia("(prefers-color-scheme: dark)");
  function settle() {
    var theme = asked === "light" || asked === "dark" ? asked : dark.matches ? "dark" : "light";
    root.dataset.theme = theme;
    if (document.body) document.body.classList.toggle("dark", theme === "dark"); // what Gradio's own parts go by
  }
  settle();
  dark.addEventListener("change", settle);
  // Gradio knows Chinese by its regions only.
  var lang = root.lang === "zh" ? "zh-CN" : root.lang;
  Object.defineProperty(navigator, "language", { get: function () { return lang; }, configurable: true });
  Object.defineProperty(navigator, "languages", { get: function () { return [lang]; }, configurable: true });
})();
