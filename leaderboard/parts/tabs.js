// The open tab is part of the address: Gradio tells which one was opened, the first leaves the address clean.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.tabs = (function () {
  "use strict";
  const PATIENCE_MS = 20_000;
  // Gradio also reports the tab that it opens itself while the page is built: that is no wish of the reader.
  let isTouched = false;
  for (const kind of ["pointerdown", "keydown", "click"]) {
    document.addEventListener(kind, () => { isTouched = true; }, { capture: true, once: true });
  }

  function write(tab) {
    if (!isTouched) return;
    const query = new URLSearchParams(location.search);
    if (tab === "board") query.delete("tab");
    else query.set("tab", tab);
    qrelboard.address.write(query);
  }

  // What the address points at comes later than the page: it is sought until it is there, then shown and marked.
  function seek() {
    const name = location.hash.slice(1);
    if (!name || isFound(name)) return;
    const watcher = new MutationObserver(() => isFound(name) && watcher.disconnect());
    watcher.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["style", "class"] });
    setTimeout(() => watcher.disconnect(), PATIENCE_MS);
  }

  function isFound(name) {
    const place = document.getElementById(name);
    if (!place || !place.offsetParent) return false;
    document.querySelectorAll(".is-sought").forEach((other) => other.classList.remove("is-sought"));
    place.classList.add("is-sought");
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "start" });
    return true;
  }

  addEventListener("hashchange", seek);
  seek();

  return { write };
})();
