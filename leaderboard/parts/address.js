// The view is the address: it changes in place, so that "back" moves between pages, not between sorts.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.address = (function () {
  "use strict";
  const HUB = "https://huggingface.co";

  // In a Space the reader sees the address of the Hub's page around ours: it is told, and nobody else.
  function write(query) {
    const shown = query.toString().replaceAll("%2C", ",");
    history.replaceState(history.state, "", location.pathname + (shown ? `?${shown}` : "") + location.hash);
    if (globalThis.parent !== globalThis) parent.postMessage({ queryString: shown }, HUB);
  }

  // The address of what is seen now, without the place on the page.
  const here = () => location.origin + location.pathname + location.search;

  // The same view of this revision for good, whatever the board becomes.
  function permanent(revision) {
    const query = new URLSearchParams(location.search);
    query.delete("on");
    query.set("rev", revision);
    return `${location.origin}${location.pathname}?${query.toString().replaceAll("%2C", ",")}`;
  }

  return { write, here, permanent };
})();
