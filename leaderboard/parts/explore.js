// What the server needs to know to draw a Plotly figure: the theme and the width; and a new drawing when the theme turns.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.explore = (function () {
  "use strict";
  const root = document.documentElement;
  const look = () => `${root.dataset.theme}${matchMedia("(max-width: 640px)").matches ? " phone" : ""}`;

  function redraw() {
    for (const plot of document.querySelectorAll(".q-plot .js-plotly-plot")) {
      document.getElementById(plot.closest(".q-plot").id.replace("plot-", "explore-")).click();
    }
  }

  new MutationObserver(redraw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });

  return { look };
})();
