// What every script that draws needs: elements filled with text, hints that a pointer and a keyboard can ask for.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.elements = (function () {
  "use strict";

  // Strings become text nodes: what a row holds can never become markup.
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const EDGE = 8;
  let tip = null;
  let owner = null;

  function showHint(over) {
    if (over === owner) return;
    hideHint();
    owner = over;
    tip = element("div", { class: "q-tip", role: "tooltip", id: "q-tip" }, over.dataset.qHint);
    document.body.append(tip);
    over.setAttribute("aria-describedby", "q-tip");
    const at = over.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const fitsBelow = at.bottom + height + EDGE < innerHeight;
    tip.style.left = `${Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE))}px`;
    tip.style.top = `${fitsBelow ? at.bottom + 4 : Math.max(EDGE, at.top - height - 4)}px`;
  }

  function hideHint() {
    if (owner) owner.removeAttribute("aria-describedby");
    if (tip) tip.remove();
    tip = owner = null;
  }

  const hinted = (event, which = "[data-q-hint]") => (event.target.closest ? event.target.closest(which) : null);

  // A hint stays while the pointer is over it, goes with Escape, and never takes the focus. Inside a table's body it comes
  // with the focus alone: under a pointer it would lie over the next line.
  function follow(event) {
    if (tip && tip.contains(event.target)) return;
    const over = hinted(event, "[data-q-hint]:not(tbody *)");
    if (over) showHint(over);
    else if (!(owner && owner.contains(document.activeElement))) hideHint();
  }

  document.addEventListener("pointerover", follow);
  document.addEventListener("focusin", (event) => (hinted(event) ? showHint(hinted(event)) : hideHint()));
  document.addEventListener("focusout", hideHint);
  document.addEventListener("scroll", hideHint, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideHint());

  return { element };
})();
