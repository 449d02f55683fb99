// What stands around the board's table: search, breakdown, filters, columns, pins, downloads.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.tools = (function () {
  "use strict";
  const { element } = qrelboard.elements;
  const { columnsOf } = qrelboard.model;
  const { FILTERS, besideOf, sizeStops, isPossible } = qrelboard.view;
  const { number, params, fill } = qrelboard.numbers;
  const LEAST_COLUMNS = ["rank", "name", "primary"];
  const FORMATS = [["csv", "CSV"], ["json", "JSON"], ["tex", "LaTeX"], ["md", "Markdown"]];

  const button = (key, text, attributes = {}) => element("button", { class: "q-button", type: "button", "data-q": key, ...attributes }, text);

  function bar(page, view, isPhone) {
    const { words, labels, board } = page;
    const choices = element("div", { class: "q-board-bar" },
      element("label", { class: "q-board-field" }, element("span", { class: "q-hidden" }, words.search),
        element("input", { type: "search", "data-q": "q", placeholder: words.search, value: view.q, autocomplete: "off", spellcheck: "false" })));
    if (isPhone) choices.append(besideChoice(page, view));
    else if (board.axes.length) {
      choices.append(choice("by", words.by, view.by, [["", words.by_none], ...board.axes.map((axis) => [axis.id, labels.axes[axis.id]])]));
      if (view.by && board.measures.length > 1) choices.append(choice("of", words.of, view.of, board.measures.map((name) => [name, labels.headings[name] || name])));
    }
    const filters = [...chips(page, view), sizeChoice(page, view)];
    choices.append(isPhone ? folded("filters", words.filters, filters) : element("div", { class: "q-chips", role: "group", "aria-label": words.filters }, ...filters));
    if (!isPhone) choices.append(folded("columns", words.columns, [chooser(page, view)]));
    choices.append(button("clear", words.clear, { class: "q-button q-board-clear", hidden: true }), element("p", { class: "q-board-count", role: "status" }));
    return choices;
  }

  function choice(key, label, chosen, options) {
    const list = element("select", { "data-q": key });
    for (const [value, text] of options) list.append(element("option", { value, selected: value === chosen }, text));
    return element("label", { class: "q-board-field" }, element("span", {}, label), list);
  }

  const columnLabel = (column) => [column.label, column.note].filter(Boolean).join(" · ");

  function besideChoice(page, view) {
    const beside = besideOf(page, view);
    const plain = columnsOf(page, { ...view, by: "" }).filter((column) => !LEAST_COLUMNS.includes(column.kind));
    const field = choice("beside", page.words.beside, beside, [["", page.words.beside_none], ...plain.map((column) => [column.key, columnLabel(column)])]);
    for (const axis of page.board.axes) {
      const slices = columnsOf(page, { ...view, by: axis.id }).filter((column) => column.kind === "slice");
      const group = element("optgroup", { label: page.labels.axes[axis.id] });
      group.append(...slices.map((column) => element("option", { value: column.key, selected: column.key === beside }, columnLabel(column))));
      field.lastChild.append(group);
    }
    return field;
  }

  // A filter that would leave nothing is shown, disabled, with the reason.
  function chips({ board, words }, view) {
    return FILTERS.map((name) => {
      const isOn = view.only.includes(name);
      const isOpen = isOn || isPossible(board.rows, name);
      const chip = button("only", words[`only_${name}`], { class: "q-button q-chip", "data-key": name, "aria-pressed": String(isOn), "aria-disabled": !isOpen && "true" });
      if (!isOpen) chip.dataset.qHint = words.only_none;
      return chip;
    });
  }

  function sizeChoice({ board, words, lang }, view) {
    const stops = sizeStops(board.rows);
    if (view.size && !stops.includes(view.size)) stops.push(view.size);
    const options = stops.sort((a, b) => a - b).map((stop) => [String(stop), fill(words.size_most, { size: params(stop, lang, stop % 1000 === 0) })]);
    const field = choice("size", words.size, String(view.size || ""), [["", words.size_any], ...options]);
    field.classList.add("is-chip");
    field.lastChild.disabled = !stops.length;
    if (!stops.length) field.dataset.qHint = words.size_none;
    return field;
  }

  function folded(name, label, content) {
    return element("details", { class: `q-fold is-${name}` }, element("summary", { class: "q-button" }, label), element("div", { class: "q-fold-box" }, ...content));
  }

  function chooser(page, view) {
    const columns = columnsOf(page, view).filter((column) => !LEAST_COLUMNS.includes(column.kind));
    return element("fieldset", {}, element("legend", { class: "q-hidden" }, page.words.columns), ...columns.map((column) =>
      element("label", {}, element("input", { type: "checkbox", "data-q": "hide", value: column.key, checked: !view.hide.includes(column.key) }), columnLabel(column))));
  }

  // What can be done with the pinned rows: compared, where there is a page for it, and let go.
  function pinned({ words, links, lang }, view) {
    const n = view.pin.length;
    const box = element("div", { class: "q-board-pins" });
    if (!n) return box;
    if (links.compare && n > 1) box.append(element("a", { class: "q-button is-primary", href: links.compare.replace("IDS", view.pin.map(encodeURIComponent).join(",")) }, fill(words.compare, { n: number(n, lang) })));
    else if (links.compare) box.append(element("span", { class: "q-muted" }, words.compare_second));
    box.append(button("unpin", words.unpin));
    return box;
  }

  function actions({ words }) {
    return element("div", { class: "q-board-actions", role: "group", "aria-label": words.download },
      element("span", { class: "q-muted", "aria-hidden": "true" }, words.download),
      ...FORMATS.map(([kind, name]) => button("save", name, { "data-key": kind, "aria-label": `${words.download} ${name}` })),
      button("copy", words.copy_link, { class: "q-button q-board-copy" }),
      button("copy", words.copy_permanent, { "data-key": "permanent", title: words.copy_permanent_hint }));
  }

  function emptyBox(sentence, choices) {
    return element("div", { class: "q-empty" }, element("p", {}, sentence), element("div", { class: "q-actions" }, ...choices));
  }

  function nothingYet({ words, links }) {
    return emptyBox(words.no_rows, [
      element("a", { class: "q-button is-primary", href: links.submit }, words.submit),
      links.example ? element("a", { class: "q-button", href: links.example }, words.example) : null,
    ]);
  }

  return { LEAST_COLUMNS, bar, button, pinned, actions, emptyBox, nothingYet };
})();
