// The board: one native table drawn from one JSON text, sorted, searched, broken down and paged without a request.
// Every cell is filled with textContent: a name can never become markup.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.board = (function () {
  "use strict";
  const { columnsOf, sorted, matching, rangeOf, axisOf, readView, writeView, isMissing } = qrelboard.model;
  const { number, score, fill, MISSING } = qrelboard.numbers;
  const FEW_ROWS = 25;
  const ROWS_AT_ONCE = 100;
  const LEAST_COLUMNS = ["rank", "name", "primary"];
  const phone = matchMedia("(max-width: 640px)");

  // Whether a row below the first could be first as well, for all that these topics decide.
  const isTied = (row) => row.tied_with_first === true && row.rank > 1;

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  class Board {
    constructor(host) {
      this.host = host;
      this.drawing = 0;
      phone.addEventListener("change", () => this.page && host.isConnected && this.draw());
      addEventListener("resize", () => this.frame && host.isConnected && this.hintAtMore());
    }

    take(text) {
      if (!text) return;
      this.page = JSON.parse(text);
      this.view = readView(this.page, location.search);
      this.draw();
    }

    // Build everything but the rows, then the rows.
    draw() {
      const { page, view } = this;
      if (!page.board.rows.length) {
        this.host.replaceChildren(this.emptyBox(page.words.no_rows, [
          element("a", { class: "q-button is-primary", href: page.links.submit }, page.words.submit),
          page.links.example ? element("a", { class: "q-button", href: page.links.example }, page.words.example) : null,
        ]));
        return;
      }
      this.columns = this.shownColumns();
      if (!this.columns.some((column) => column.key === view.sort)) Object.assign(view, { sort: "", dir: "" });
      this.ranges = new Map(this.columns.map((column) => [column.key, column.isMeasure || column.shade ? rangeOf(page.board.rows, column) : null]));
      this.axis = axisOf(page.board.rows, this.columns.find((column) => column.kind === "primary"));
      this.status = element("p", { class: "q-board-count", role: "status" });
      this.spoken = element("p", { class: "q-hidden", "aria-live": "polite" });
      this.body = element("tbody");
      this.lines = new Map();
      this.more = element("div", { class: "q-board-more" });
      this.table = element("table", { class: "q-board-table" }, element("caption", {}, page.caption), this.head(), this.body);
      this.box = element("div", { class: "q-board-box", tabindex: "0", role: "region", "aria-label": page.words.scroll }, this.table);
      this.frame = element("div", { class: "q-board-frame" }, this.box);
      this.box.addEventListener("scroll", () => this.hintAtMore(), { passive: true });
      this.host.replaceChildren(this.toolbar(), this.frame, this.more, this.spoken);
      this.fillRows();
      this.hintAtMore();
    }

    // On a phone: rank, system, the ranking measure, and one more column that the reader chooses.
    shownColumns() {
      const { page, view } = this;
      if (!phone.matches) return columnsOf(page, view);
      const columns = columnsOf(page, { ...view, by: view.beside.split(":")[0] });
      return columns.filter((column) => LEAST_COLUMNS.includes(column.kind) || column.key === view.beside);
    }

    toolbar() {
      const { page, view } = this;
      const { words, labels, board } = page;
      const bar = element("div", { class: "q-board-bar" });
      bar.append(element("label", { class: "q-board-field" }, element("span", { class: "q-hidden" }, words.search),
        element("input", { type: "search", "data-q": "q", placeholder: words.search, value: view.q, autocomplete: "off", spellcheck: "false" })));
      if (phone.matches) bar.append(this.besideChoice());
      else if (board.axes.length) {
        bar.append(this.choice("by", words.by, view.by, [["", words.by_none], ...board.axes.map((axis) => [axis.id, labels.axes[axis.id]])]));
        if (view.by && board.measures.length > 1) bar.append(this.choice("of", words.of, view.of, board.measures.map((name) => [name, labels.headings[name] || name])));
      }
      bar.append(element("button", { class: "q-button q-board-clear", type: "button", "data-q": "clear", hidden: true }, words.clear), this.status);
      return bar;
    }

    // The right edge fades while there are columns beyond it.
    hintAtMore() {
      const { scrollLeft, clientWidth, scrollWidth } = this.box;
      this.frame.classList.toggle("has-more", scrollLeft + clientWidth < scrollWidth - 4);
    }

    choice(key, label, chosen, options) {
      const list = element("select", { "data-q": key });
      for (const [value, text] of options) list.append(element("option", { value, selected: value === chosen }, text));
      return element("label", { class: "q-board-field" }, element("span", {}, label), list);
    }

    besideChoice() {
      const { page, view } = this;
      const label = (column) => [column.label, column.note].filter(Boolean).join(" · ");
      const plain = columnsOf(page, { ...view, by: "" }).filter((column) => !LEAST_COLUMNS.includes(column.kind));
      const field = this.choice("beside", page.words.beside, view.beside, [["", page.words.beside_none], ...plain.map((column) => [column.key, label(column)])]);
      for (const axis of page.board.axes) {
        const slices = columnsOf(page, { ...view, by: axis.id }).filter((column) => column.kind === "slice");
        const group = element("optgroup", { label: page.labels.axes[axis.id] });
        group.append(...slices.map((column) => element("option", { value: column.key, selected: column.key === view.beside }, label(column))));
        field.lastChild.append(group);
      }
      return field;
    }

    head() {
      const row = element("tr");
      for (const column of this.columns) row.append(this.headCell(column));
      return element("thead", {}, row);
    }

    headCell(column) {
      const label = column.isMeasure ? `${column.label} ↑` : column.label;
      const button = element("button", { type: "button", "data-q": "sort", "data-key": column.key, title: column.hint || false },
        element("span", { class: "q-sort-mark", "aria-hidden": "true" }), element("span", {}, label));
      const range = column.kind === "primary" ? this.axis : null;
      return element("th", { scope: "col", class: `is-${column.kind}`, "aria-sort": this.sortOf(column) }, button,
        column.note ? element("span", { class: "q-head-note" }, column.note) : null,
        range && range.high > range.low ? this.axisEnds(range) : null);
    }

    axisEnds(range) {
      const show = (value) => number(value, this.page.lang, 2);
      return element("span", { class: "q-axis", "aria-hidden": "true" }, element("span", {}, show(range.low)), element("span", {}, show(range.high)));
    }

    sortOf(column) {
      const { sort, dir } = this.view;
      const active = sort ? sort === column.key : column.kind === "rank";
      if (!active) return null;
      return (dir && sort ? dir : column.first) === "asc" ? "ascending" : "descending";
    }

    fillRows() {
      const { page, view } = this;
      const { words } = page;
      const found = matching(page.board.rows, view.q);
      const column = this.columns.find((one) => one.key === view.sort);
      const rows = sorted(found, column, view.dir || (column ? column.first : "asc"));
      const shown = view.isWhole || rows.length <= FEW_ROWS ? rows : rows.slice(0, FEW_ROWS);
      this.tellCount(found.length);
      this.host.querySelector("[data-q=clear]").hidden = !(view.q || view.sort || view.by || view.isWhole);
      this.more.replaceChildren();
      if (!rows.length) {
        this.body.replaceChildren();
        this.more.append(this.emptyBox(fill(words.nothing_found, { query: view.q.trim() }), [element("button", { class: "q-button", type: "button", "data-q": "clear" }, words.clear)]));
        return;
      }
      if (shown.length < rows.length) {
        this.more.append(element("button", { class: "q-button", type: "button", "data-q": "whole" }, fill(words.show_all, { n: number(rows.length, page.lang) })));
      }
      this.drawInPieces(shown);
    }

    tellCount(n) {
      const { words, lang, board } = this.page;
      const total = board.rows.length;
      const few = total === 1 ? words.count_all_one : words.count_all_many;
      this.status.textContent = fill(n < total ? words.count : few, { n: number(n, lang), total: number(total, lang) });
    }

    // The first hundred rows at once, the rest a hundred a frame, so that long boards answer at once.
    drawInPieces(rows) {
      const turn = ++this.drawing;
      const draw = (start) => {
        if (turn !== this.drawing) return;
        const piece = document.createDocumentFragment();
        for (const row of rows.slice(start, start + ROWS_AT_ONCE)) piece.append(this.line(row));
        if (start === 0) this.body.replaceChildren(piece);
        else this.body.append(piece);
        if (start + ROWS_AT_ONCE < rows.length) requestAnimationFrame(() => draw(start + ROWS_AT_ONCE));
      };
      draw(0);
    }

    // A line is made once; sorting and searching only move it.
    line(row) {
      if (!this.lines.has(row.id)) this.lines.set(row.id, this.newLine(row));
      return this.lines.get(row.id);
    }

    newLine(row) {
      const kinds = [row.is_baseline ? "is-baseline" : "", isTied(row) ? "is-tied" : ""].filter(Boolean).join(" ");
      const line = element("tr", { "data-id": row.id, class: kinds || false, title: isTied(row) ? this.page.words.tied : false });
      for (const column of this.columns) line.append(column.kind === "name" ? this.nameCell(row) : this.cell(row, column));
      return line;
    }

    nameCell(row) {
      const { words, links } = this.page;
      const link = element("a", { href: links.system.replace("SYSTEM", encodeURIComponent(row.system)) }, row.name);
      const marks = [
        row.is_sample ? ["sample", false] : null,
        row.is_baseline ? ["baseline", false] : null,
        row.open_weights ? ["open", false] : null,
      ].filter(Boolean).slice(0, 2);
      return element("th", { scope: "row", class: "is-name" }, element("span", { class: "q-system" }, link,
        row.version ? element("span", { class: "q-version" }, row.version) : null,
        ...marks.map(([kind]) => element("span", { class: "q-badge", title: words[`badge_${kind}_hint`] }, words[`badge_${kind}`])),
        isTied(row) ? element("span", { class: "q-hidden" }, words.tied) : null));
    }

    cell(row, column) {
      const value = column.value(row);
      const missing = isMissing(value);
      const range = this.ranges.get(column.key);
      const isBest = range && !missing && value === range.high && range.high > range.low;
      const made = element("td", { class: `is-${column.kind}${isBest ? " is-best" : ""}${missing ? " is-missing" : ""}` });
      const text = missing && column.kind !== "count" ? MISSING : column.show(row);
      made.append(element("span", {}, text));
      if (column.interval && !missing) made.append(...this.certainty(row, column));
      if (missing) {
        made.title = column.hint && column.shade ? column.hint : this.page.words.no_value;
        if (text === MISSING) made.append(element("span", { class: "q-hidden" }, made.title));
      }
      if (column.shade && range && !missing && range.high > range.low) made.style.setProperty("--heat", `${Math.round(((value - range.low) / (range.high - range.low)) * 100)}%`);
      return made;
    }

    // How sure a number is: the range that a rank could have, the interval of a score and its place on the axis.
    certainty(row, column) {
      const interval = column.interval(row);
      if (column.kind === "rank") return interval && interval[0] < interval[1] ? [element("span", { class: "q-range" }, `${interval[0]}–${interval[1]}`)] : [];
      if (column.kind !== "primary") return [];
      const { lang, board } = this.page;
      const told = interval ? [element("span", { class: "q-range" }, `[${interval.map((end) => score(end, lang, board.digits)).join(lang === "fr" ? " ; " : ", ")}]`)] : [];
      return [...told, this.glyph(column.value(row), interval, this.axis)];
    }

    // A dot on an axis that the whole column shares; a line through it where the row has an interval.
    glyph(value, interval, axis) {
      const span = axis.high - axis.low || 1;
      const place = (at) => `${(Math.min(1, Math.max(0, (at - axis.low) / span)) * 100).toFixed(1)}%`;
      const made = element("span", { class: `q-glyph${interval ? " has-interval" : ""}`, "aria-hidden": "true" });
      made.style.setProperty("--at", place(value));
      if (interval) {
        made.style.setProperty("--low", place(interval[0]));
        made.style.setProperty("--high", place(interval[1]));
      }
      return made;
    }

    emptyBox(sentence, actions) {
      return element("div", { class: "q-empty" }, element("p", {}, sentence), element("div", { class: "q-actions" }, ...actions));
    }

    setView(changes) {
      Object.assign(this.view, changes);
      const query = writeView(this.page, this.view, location.search);
      history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : "") + location.hash);
    }

    // First click in the useful direction, second turns it round, third goes back to rank order.
    sortBy(key) {
      const column = this.columns.find((one) => one.key === key);
      const { sort, dir } = this.view;
      if (key === "rank") this.setView(sort || dir ? { sort: "", dir: "" } : { sort: "rank", dir: "desc" });
      else if (sort !== key) this.setView({ sort: key, dir: "" });
      else if (!dir) this.setView({ dir: column.first === "asc" ? "desc" : "asc" });
      else this.setView({ sort: "", dir: "" });
      this.table.querySelectorAll("thead th").forEach((cell, place) => {
        const state = this.sortOf(this.columns[place]);
        if (state) cell.setAttribute("aria-sort", state);
        else cell.removeAttribute("aria-sort");
      });
      this.fillRows();
      this.speakOrder(column);
    }

    speakOrder(column) {
      const { words } = this.page;
      const state = this.sortOf(column);
      this.spoken.textContent = this.view.sort && state
        ? fill(words.sorted_by, { column: column.label, direction: state === "ascending" ? words.ascending : words.descending })
        : words.own_order;
    }

    clear() {
      this.setView({ q: "", by: "", of: this.page.board.columns[0].measure, sort: "", dir: "", isWhole: false });
      this.draw();
      this.host.querySelector("[data-q=q]").focus();
    }

    heardClick(event) {
      const control = event.target.closest("[data-q]");
      if (!control) return;
      if (control.dataset.q === "sort") this.sortBy(control.dataset.key);
      else if (control.dataset.q === "clear") this.clear();
      else if (control.dataset.q === "whole") {
        this.setView({ isWhole: true });
        this.fillRows();
        this.box.focus({ preventScroll: true });
      }
    }

    heardInput(event) {
      const key = event.target.dataset.q;
      if (key === "q") {
        this.setView({ q: event.target.value });
        this.fillRows();
      } else if (key === "by" || key === "of" || key === "beside") {
        this.setView({ [key]: event.target.value });
        this.draw();
        this.host.querySelector(`[data-q=${key}]`).focus();
      }
    }
  }

  // Called by Gradio once for each mounted block; the value comes later, with the load event.
  function mount(root, props, watch) {
    const host = root.querySelector(".q-board");
    const board = new Board(host);
    host.addEventListener("click", (event) => board.heardClick(event));
    host.addEventListener("input", (event) => board.heardInput(event));
    watch("value", () => board.take(props.value));
    board.take(props.value);
  }

  return { mount };
})();
