// The board: one native table drawn from one JSON text, sorted, searched, filtered, broken down and paged in the browser.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.board = (function () {
  "use strict";
  const { element } = qrelboard.elements;
  const { columnsOf, sorted } = qrelboard.model;
  const { MOST_PINS, besideOf, readView, writeView, isDefault, matching, inWords } = qrelboard.view;
  const { number, fill } = qrelboard.numbers;
  const tools = qrelboard.tools;
  const FEW_ROWS = 25;
  const ROWS_AT_ONCE = 50;
  const NEAR_END_PX = 800;
  const COPIED_MS = 2000;
  const phone = matchMedia("(max-width: 640px)");

  class Board {
    constructor(host) {
      this.host = host;
      phone.addEventListener("change", () => this.page && host.isConnected && this.draw());
      addEventListener("resize", () => this.frame && host.isConnected && this.hintAtMore());
    }

    take(text) {
      if (!text) return;
      this.page = JSON.parse(text);
      this.view = readView(this.page, location.search);
      this.draw();
      const axis = this.lacking();
      if (axis) this.load(axis, () => this.draw());
    }

    // The axis that the view breaks down by, if its slices are not here yet.
    lacking() {
      const { page, view } = this;
      const axis = phone.matches ? besideOf(page, view).split(":")[0] : view.by;
      const isThere = !page.whole || page.board.rows.every((row) => row.slices && axis in row.slices);
      return isThere || !page.board.axes.some((one) => one.id === axis) ? "" : axis;
    }

    // Of a long board the slices of an axis come when they are asked for, from the address that machines read; without an
    // axis all of it comes, at full precision.
    async load(axis, then) {
      const { page } = this;
      try {
        const answer = await fetch(axis ? `${page.whole}${page.whole.includes("?") ? "&" : "?"}by=${encodeURIComponent(axis)}` : page.whole);
        if (!answer.ok) throw new Error(answer.status);
        page.board = await answer.json();
        for (const row of page.board.rows) if (row.is_gone) row.name = page.words.gone;
        if (!axis) page.whole = "";
      } catch (failed) {
        this.spoken.textContent = this.sad.textContent = page.words.slices_failed;
        return;
      }
      if (page === this.page) then();
    }

    // Build everything but the rows, then the rows.
    draw() {
      const { page, view } = this;
      if (!page.board.rows.length) {
        this.host.replaceChildren(tools.nothingYet(page));
        return;
      }
      this.byId = new Map(page.board.rows.map((row) => [row.id, row]));
      this.pins = element("div");
      this.frame = element("div", { class: "q-board-frame" });
      this.more = element("div", { class: "q-board-more" });
      this.spoken = element("p", { class: "q-hidden", "aria-live": "polite" });
      this.sad = element("p", { class: "q-board-sad" });
      this.host.replaceChildren(tools.bar(page, view, phone.matches), this.sad, this.pins, this.frame, this.more, tools.actions(page), this.spoken);
      this.drawTable();
    }

    drawTable() {
      const { page, view } = this;
      this.columns = this.shownColumns();
      if (!this.columns.some((column) => column.key === view.sort)) Object.assign(view, { sort: "", dir: "" });
      this.cells = new qrelboard.cells.Cells(page, this.columns);
      this.body = element("tbody");
      this.table = element("table", { class: "q-board-table" }, element("caption", {}, element("span", {}, page.caption)), this.cells.head((column) => this.sortOf(column)), this.body);
      this.box = element("div", { class: "q-board-box", tabindex: "0", role: "region", "aria-label": page.words.scroll }, this.table);
      this.box.addEventListener("scroll", () => this.scrolled(), { passive: true });
      this.frame.replaceChildren(this.box);
      this.fillRows();
      this.hintAtMore();
    }

    // On a phone: rank, system, the ranking measure, and one more column that the reader chooses.
    shownColumns() {
      const { page, view } = this;
      const isLeast = (column) => tools.LEAST_COLUMNS.includes(column.kind);
      if (!phone.matches) return columnsOf(page, view).filter((column) => isLeast(column) || !view.hide.includes(column.key));
      const beside = besideOf(page, view);
      const columns = columnsOf(page, { ...view, by: beside.split(":")[0] });
      return columns.filter((column) => isLeast(column) || column.key === beside);
    }

    scrolled() {
      this.hintAtMore();
      const { scrollTop, clientHeight, scrollHeight } = this.box;
      if (scrollTop + clientHeight > scrollHeight - NEAR_END_PX) this.drawPiece();
    }

    // The right edge fades while there are columns beyond it.
    hintAtMore() {
      const { scrollLeft, clientWidth, scrollWidth } = this.box;
      this.frame.classList.toggle("has-more", scrollLeft + clientWidth < scrollWidth - 4);
    }

    sortOf(column) {
      const { sort, dir } = this.view;
      const active = sort ? sort === column.key : column.kind === "rank";
      if (!active) return null;
      return (dir && sort ? dir : column.first) === "asc" ? "ascending" : "descending";
    }

    // Pinned rows stay on top, whatever is searched; the others are found, put in order and cut.
    rowsNow() {
      const { page, view } = this;
      const found = matching(page.board.rows, view);
      const column = this.columns.find((one) => one.key === view.sort);
      const order = (rows) => sorted(rows, column, view.dir || (column ? column.first : "asc"), page.lang);
      const pinned = new Set(view.pin);
      return { n: found.length, top: order(page.board.rows.filter((row) => pinned.has(row.id))), rest: order(found.filter((row) => !pinned.has(row.id))) };
    }

    fillRows() {
      const { page, view } = this;
      const { words } = page;
      const { n, top, rest } = this.rowsNow();
      const shown = view.isWhole ? rest : rest.slice(0, FEW_ROWS);
      this.tellState(n);
      this.more.replaceChildren();
      if (!n) this.more.append(tools.emptyBox(this.whyNothing(), [tools.button("clear", words.clear)]));
      if (shown.length < rest.length) this.more.append(tools.button("whole", fill(words.show_all, { n: number(n, page.lang) })));
      this.drawFrom(top, shown);
    }

    whyNothing() {
      const { words } = this.page;
      const { q, only, size } = this.view;
      if (!only.length && !size) return fill(words.nothing_found, { query: q.trim() });
      return fill(words.nothing_matches, { filters: inWords(this.page, this.view).join(", ") });
    }

    tellState(n) {
      const { words, lang, board } = this.page;
      const total = board.rows.length;
      const few = total === 1 ? words.count_all_one : words.count_all_many;
      const told = fill(n < total ? words.count : few, { n: number(n, lang), total: number(total, lang) });
      const status = this.host.querySelector(".q-board-count");
      if (status.textContent !== told) status.textContent = told;
      this.host.querySelector(".q-board-clear").hidden = isDefault(this.page, this.view);
      this.pins.replaceChildren(tools.pinned(this.page, this.view));
    }

    // The first rows at once, further ones when the reader comes near the end: long boards answer as quickly as short ones.
    drawFrom(top, rest) {
      this.waiting = { rows: [...top, ...rest], nPinned: top.length, n: 0 };
      this.table.setAttribute("aria-rowcount", this.waiting.rows.length + 1);
      this.body.replaceChildren();
      this.drawPiece();
    }

    drawPiece() {
      const { rows, nPinned, n } = this.waiting;
      const piece = rows.slice(n, n + ROWS_AT_ONCE).map((row, place) => this.lineOf(row, n + place, nPinned));
      this.body.append(...piece);
      this.waiting.n += piece.length;
    }

    lineOf(row, place, nPinned) {
      const line = this.cells.line(row);
      line.setAttribute("aria-rowindex", place + 2);
      line.classList.toggle("is-pinned", place < nPinned);
      line.classList.toggle("is-last-pinned", place === nPinned - 1);
      line.querySelector(".q-pin").setAttribute("aria-pressed", String(place < nPinned));
      return line;
    }

    setView(changes) {
      Object.assign(this.view, changes);
      qrelboard.address.write(writeView(this.page, this.view, location.search));
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
      this.setView(readView(this.page, ""));
      this.draw();
      this.host.querySelector("[data-q=q]").focus();
    }

    // The button keeps the focus although its row moves.
    pin(id, button) {
      const { pin } = this.view;
      const isPinned = pin.includes(id);
      if (!isPinned && pin.length >= MOST_PINS) {
        this.spoken.textContent = fill(this.page.words.pins_full, { n: number(MOST_PINS, this.page.lang) });
        return;
      }
      this.setView({ pin: isPinned ? pin.filter((one) => one !== id) : [...pin, id] });
      this.fillRows();
      button.focus({ preventScroll: true });
    }

    narrow(name, chip) {
      if (chip.getAttribute("aria-disabled") === "true") return;
      const { only } = this.view;
      const isOn = only.includes(name);
      chip.setAttribute("aria-pressed", String(!isOn));
      this.setView({ only: isOn ? only.filter((one) => one !== name) : [...only, name] });
      this.fillRows();
    }

    showWhole() {
      this.setView({ isWhole: true });
      this.fillRows();
      this.box.focus({ preventScroll: true });
    }

    unpin() {
      this.setView({ pin: [] });
      this.fillRows();
      this.box.focus({ preventScroll: true });
    }

    // The file holds all rows that match, not only the first screen of them.
    save(kind) {
      if (this.page.whole) return void this.load("", () => this.saveWhole(kind));
      const { top, rest } = this.rowsNow();
      qrelboard.downloads.save(kind, { page: this.page, columns: this.columns, rows: [...top, ...rest], link: qrelboard.address.permanent(this.page.board.revision) });
    }

    saveWhole(kind) {
      this.draw();
      this.host.querySelector(`[data-q=save][data-key=${kind}]`).focus({ preventScroll: true });
      this.save(kind);
    }

    choose(key, value) {
      this.setView({ [key]: value });
      const show = () => {
        this.draw();
        this.host.querySelector(`[data-q=${key}]`).focus();
      };
      const axis = this.lacking();
      if (axis) this.load(axis, show);
      else show();
    }

    // A link follows the board, a permanent one stays with this revision.
    async copyLink(button) {
      const { words, board } = this.page;
      const isPermanent = button.dataset.key === "permanent";
      const label = isPermanent ? words.copy_permanent : words.copy_link;
      const address = isPermanent ? qrelboard.address.permanent(board.revision) : qrelboard.address.here();
      try {
        await navigator.clipboard.writeText(address);
      } catch (refused) {
        const field = element("input", { class: "q-board-link", readonly: true, value: address, "aria-label": label });
        button.replaceWith(field);
        field.select();
        return;
      }
      button.textContent = this.spoken.textContent = words.link_copied;
      setTimeout(() => { button.textContent = label; }, COPIED_MS);
    }

    heardClick(event) {
      const control = event.target.closest("button[data-q]");
      if (!control) return;
      const { q, key } = control.dataset;
      const moves = {
        sort: () => this.sortBy(key),
        clear: () => this.clear(),
        whole: () => this.showWhole(),
        pin: () => this.pin(key, control),
        unpin: () => this.unpin(),
        only: () => this.narrow(key, control),
        save: () => this.save(key),
        copy: () => this.copyLink(control),
      };
      moves[q]();
    }

    heardInput({ target }) {
      const key = target.dataset.q;
      if (key === "q" || key === "size") {
        this.setView({ [key]: key === "size" ? Number(target.value) : target.value });
        this.fillRows();
      } else if (key === "hide") {
        const others = this.view.hide.filter((one) => one !== target.value);
        this.setView({ hide: target.checked ? others : [...others, target.value] });
        this.drawTable();
      } else if (key) {
        this.choose(key, target.value);
      }
    }
  }

  // An opened fold closes with Escape and with a click elsewhere.
  function closeFolds(host, except) {
    for (const fold of host.querySelectorAll(".q-fold[open]")) if (!except || !fold.contains(except)) fold.open = false;
  }

  // Called by Gradio once for each mounted block; the value comes later, with the load event.
  function mount(root, props, watch) {
    const host = root.querySelector(".q-board");
    const board = new Board(host);
    host.addEventListener("click", (event) => board.heardClick(event));
    host.addEventListener("input", (event) => board.heardInput(event));
    document.addEventListener("click", (event) => closeFolds(host, event.target));
    host.addEventListener("keydown", (event) => {
      const fold = event.key === "Escape" && event.target.closest(".q-fold[open]");
      if (!fold) return;
      fold.open = false;
      fold.querySelector("summary").focus();
    });
    watch("value", () => board.take(props.value));
    board.take(props.value);
  }

  return { mount };
})();
