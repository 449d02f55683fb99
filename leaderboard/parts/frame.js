// Theme switch, language links that keep the view, copy buttons. One listener on the document serves all pages.
(function () {
  "use strict";

  function storeTheme(theme) {
    try { localStorage.setItem("qrelboard-theme", theme); } catch (refused) { /* lasts for this page only */ }
  }

  function switchTheme() {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    document.body.classList.toggle("dark", theme === "dark");
    storeTheme(theme);
    const query = new URLSearchParams(location.search);
    if (query.has("theme") || query.has("__theme")) {
      query.delete("theme");
      query.delete("__theme");
      qrelboard.address.write(query);
    }
  }

  // The address may have changed since the page was served (sort, search, tab): take it as it is now.
  function keepView(link) {
    const query = new URLSearchParams(location.search);
    query.set("lang", link.dataset.qLang);
    link.href = location.pathname + "?" + query + location.hash;
  }

  async function copyBeside(button) {
    const source = button.closest(".q-copy").querySelector("pre");
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch (refused) {
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    const label = button.textContent;
    button.textContent = button.dataset.qDone;
    setTimeout(() => { button.textContent = label; }, 2000);
  }

  // Inside the frame of another site the provider shows no login, and no cookie would last: open it on its own.
  function leaveFrame(link) {
    if (window.top !== window) link.target = "_blank";
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest && event.target.closest(".q-skip, [data-q-theme], [data-q-lang], [data-q-copy], [data-q-login]");
    if (!target) return;
    if (target.matches(".q-skip")) {
      // the address of the view may have changed since the page was served: following the link would load it anew
      event.preventDefault();
      document.getElementById("q-main").focus();
      return;
    }
    if (target.hasAttribute("data-q-theme")) switchTheme();
    else if (target.hasAttribute("data-q-lang")) keepView(target);
    else if (target.hasAttribute("data-q-login")) leaveFrame(target);
    else copyBeside(target);
  });
})();
