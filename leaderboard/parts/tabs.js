// The open tab is part of the address: Gradio tells which one was opened, the first leaves the address clean.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.tabs = (function () {
  "use strict";
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

  return { write };
})();
