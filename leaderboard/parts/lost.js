// The submit page when the site does not answer, or an upload is too big: told in our words at its place, the form kept.
// Gradio tells of these in English of its own; its messages are hidden on that page (submit.css).
(function () {
  "use strict";

  const plainFetch = globalThis.fetch;
  const ASKS = /\/gradio_api\/(upload|run|queue)(\/|\?|$)/;
  const OURS = [429, 503]; // the gate's own sentences, in the reader's language
  const SETTLE_MS = 300; // Gradio draws what it thinks first

  function words() {
    const found = document.querySelector("#submit-words [data-lost-check]");
    return found && found.dataset;
  }

  function hush(place) {
    document.getElementById(`${place}-told`)?.remove();
    document.getElementById(place)?.classList.remove("q-hushed");
  }

  // Stands in for what the panel says, until the next try.
  function tell(place, sentence) {
    const panel = document.getElementById(place);
    if (!panel) return;
    hush(place);
    const notice = document.createElement("div");
    notice.id = `${place}-told`;
    notice.className = "q-check is-refused";
    notice.setAttribute("role", "alert");
    notice.tabIndex = -1;
    notice.append(Object.assign(document.createElement("p"), { textContent: sentence }));
    panel.before(notice);
    panel.classList.add("q-hushed");
    notice.focus({ preventScroll: true });
    notice.scrollIntoView({ block: "nearest" });
  }

  function isChecking() {
    return Boolean(document.querySelector("#submit-check .q-check[role=status]"));
  }

  // What the site itself said, in the reader's language: the gate in plain text, a failed event as an error.
  async function saidBySite(answer) {
    if (!answer) return "";
    try {
      const kind = answer.headers.get("content-type") || "";
      if (OURS.includes(answer.status) && kind.startsWith("text/plain")) return await answer.clone().text();
      const said = kind.startsWith("application/json") ? (await answer.clone().json()).error : "";
      return typeof said === "string" ? said : "";
    } catch (unreadable) {
      return "";
    }
  }

  async function tellOf(kind, isSubmit, answer) {
    const said = words();
    if (!said) return;
    const sentence = answer && answer.status === 413 ? said.tooBig : await saidBySite(answer);
    setTimeout(() => {
      if (isSubmit) {
        qrelboard.setBusy("submit-run", false);
        tell("submit-summary", sentence || said.lostSubmit);
      } else if (kind === "upload" || isChecking()) tell("submit-check", sentence || said.lostCheck);
    }, SETTLE_MS);
  }

  globalThis.fetch = async function (input, options) {
    const address = String(input && input.url ? input.url : input);
    const [, kind] = (words() && ASKS.exec(address)) || [];
    if (!kind) return plainFetch.call(globalThis, input, options);
    const isSubmit = kind !== "upload" && document.getElementById("submit-run")?.getAttribute("aria-busy") === "true";
    if (isSubmit) hush("submit-summary");
    else if (kind === "upload" || isChecking()) hush("submit-check");
    let answer;
    try {
      answer = await plainFetch.call(globalThis, input, options);
    } catch (lost) {
      if (lost.name === "AbortError") throw lost;
      tellOf(kind, isSubmit, null);
      if (kind === "upload") throw lost;
      // A lost event makes Gradio load the page anew when the site is back, without the form; a refused one does not.
      return new Response(JSON.stringify({ error: "" }), { status: 503, headers: { "content-type": "application/json" } });
    }
    if (answer.status >= 400) tellOf(kind, isSubmit, answer);
    return answer;
  };

  // A file that cannot be taken need not be sent to learn that.
  function refuseTooBig(event) {
    const place = event.target.closest && event.target.closest("#submit-file");
    const said = place && words();
    const files = event.type === "drop" ? event.dataTransfer.files : event.target.files;
    if (!said || ![...(files || [])].some((file) => file.size > Number(said.mostBytes))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "change") event.target.value = "";
    tell("submit-check", said.tooBig);
  }

  document.addEventListener("change", refuseTooBig, true);
  document.addEventListener("drop", refuseTooBig, true);
})();
