// The owner's key of this browser, the way to what is to mend, and the step from a receipt to the submission's page.
(function () {
  "use strict";

  const OWNER = "qrelboard-owner";
  const KEY = /^[A-Za-z0-9_-]{43}$/;

  function storedOwner() {
    try {
      const key = localStorage.getItem(OWNER);
      return key && KEY.test(key) ? key : "";
    } catch (refused) {
      return "";
    }
  }

  function storeOwner(key) {
    try { localStorage.setItem(OWNER, key); } catch (refused) { /* the private link still works */ }
  }

  function ownerKey() {
    const stored = storedOwner();
    if (stored) return stored;
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const key = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    storeOwner(key);
    return storedOwner();
  }

  // Behind the #, where no server and no other site sees it; a submission of this browser opens with its own key.
  function earlierKey() {
    return new URLSearchParams(location.hash.slice(1)).get("key") || storedOwner();
  }

  function button(id) {
    const found = document.getElementById(id);
    return found && (found.matches("button") ? found : found.querySelector("button"));
  }

  function setBusy(id, isBusy) {
    const pressed = button(id);
    if (!pressed) return;
    pressed.disabled = isBusy;
    pressed.setAttribute("aria-busy", String(isBusy));
  }

  function goTo(id) {
    const place = document.getElementById(id);
    if (!place) return;
    const field = place.querySelector("input:not([type=hidden]), textarea, button") || place;
    place.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
  }

  function focusOn(selector) {
    requestAnimationFrame(() => {
      const found = document.querySelector(selector);
      if (!found) return;
      const place = found.matches("a, button, [tabindex]") ? found : found.querySelector("button") || found;
      if (!place.matches("a, button, [tabindex]")) place.tabIndex = -1;
      place.focus({ preventScroll: true });
      place.scrollIntoView({ block: "nearest" });
    });
  }

  function nameWrongFields() {
    document.querySelectorAll(".q-field-edited").forEach((field) => field.classList.remove("q-field-edited"));
    document.querySelectorAll(".q-field input, .q-field textarea").forEach((field) => {
      if (field.closest(".q-field-wrong")) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    });
  }

  // Called with the receipt that came back: an address to go to, or nothing when something is to mend.
  function afterSubmit(text) {
    if (text) {
      const receipt = JSON.parse(text);
      if (receipt.owner && !storedOwner()) storeOwner(receipt.owner);
      location.assign(receipt.href);
      return;
    }
    setBusy("submit-run", false);
    requestAnimationFrame(nameWrongFields);
    focusOn(".q-summary a");
  }

  function keepTask(taskId) {
    const query = new URLSearchParams(location.search);
    query.set("task", taskId);
    history.replaceState(history.state, "", location.pathname + "?" + query + location.hash);
  }

  function foldHelp(root) {
    const help = root.querySelector(".q-help details");
    if (help && matchMedia("(max-width: 900px)").matches) help.open = false;
  }

  // The private link in full, as it can be kept: the server does not know under which name it is reached.
  function fillAddress(root) {
    const shown = root.querySelector("[data-q-href]");
    if (shown) shown.textContent = new URL(shown.dataset.qHref, document.baseURI).href;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("[data-q-go]");
    if (!link) return;
    event.preventDefault();
    goTo(link.dataset.qGo);
  });

  // What was wrong is being mended: say no more about it until the next try.
  document.addEventListener("input", (event) => {
    const field = event.target.closest && event.target.closest(".q-field-wrong");
    if (!field) return;
    field.classList.add("q-field-edited");
    event.target.removeAttribute("aria-invalid");
  });

  globalThis.qrelboard = globalThis.qrelboard || {};
  Object.assign(qrelboard, {
    storedOwner, ownerKey, earlierKey, setBusy, afterSubmit, keepTask, foldHelp, fillAddress, focusOn,
  });
})();
