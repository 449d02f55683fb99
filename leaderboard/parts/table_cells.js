// The cells of the board: heads with their axis, lines with numbers, intervals, marks and pins.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.cells = (function () {
  "use strict";
  const { element } = qrelboard.elements;
  const { isMissing, rangeOf, axisOf } = qrelboard.model;
  const { number, score, interval, fill, MISSING } = qrelboard.numbers;
  const PIN = "M9.5 1.5 14.5 6.5 11 7.5 8.5 12 4 7.5 8.5 5ZM6 10 2 14";

  // Whether a row below the first could be first as well, for all that these topics decide.
  const isTied = (row) => row.tied_with_first === true && row.rank > 1;

  // Draws heads and lines for the columns that are shown. Ranges and axes are those of all rows, whatever is filtered.
  class Cells {
    constructor(page, columns) {
      this.page = page;
      this.columns = columns;
      const { rows } = page.board;
      this.ranges = new Map(columns.map((column) => [column.key, column.isMeasure || column.shade ? rangeOf(rows, column) : null]));
      this.axes = new Map(columns.map((column) => [column.key, column.kind === "primary" || column.isSure ? axisOf(rows, column) : null]));
      this.lines = new Map();
    }

    head(sortOf) {
      const row = element("tr");
      for (const column of this.columns) row.append(this.headCell(column, sortOf(column)));
      return element("thead", {}, row);
    }

    headCell(column, sort) {
      const label = column.isMeasure ? `${column.label} ↑` : column.label;
      const button = element("button", { type: "button", "data-q": "sort", "data-key": column.key, "data-q-hint": column.hint || false },
        element("span", { class: "q-sort-mark", "aria-hidden": "true" }), element("span", {}, label));
      const axis = this.axes.get(column.key);
      return element("th", { scope: "col", class: `is-${column.kind}`, "aria-sort": sort }, button,
        column.note ? element("span", { class: "q-head-note" }, column.note) : null,
        column.certainty ? element("span", { class: "q-head-note" }, column.certainty) : null,
        axis && axis.high > axis.low ? this.axisEnds(axis) : null);
    }

    axisEnds(range) {
      const show = (value) => number(value, this.page.lang, 2);
      return element("span", { class: "q-axis", "aria-hidden": "true" }, element("span", {}, show(range.low)), element("span", {}, show(range.high)));
    }

    // A line is made once; sorting, searching and pinning only move it.
    line(row) {
      if (!this.lines.has(row.id)) this.lines.set(row.id, this.newLine(row));
      return this.lines.get(row.id);
    }

    newLine(row) {
      const kinds = [row.is_baseline ? "is-baseline" : "", isTied(row) ? "is-tied" : ""].filter(Boolean).join(" ");
      const line = element("tr", { "data-id": row.id, class: kinds || false, title: isTied(row) ? this.page.words.tied : false });
      const draw = { rank: () => this.rankCell(row), name: () => this.nameCell(row) };
      for (const column of this.columns) line.append((draw[column.kind] || (() => this.cell(row, column)))());
      return line;
    }

    // The place of a system, the places that it could have, and the pin that keeps its row on top.
    rankCell(row) {
      const { words, lang } = this.page;
      const ends = row.rank_interval;
      const label = fill(words.pin, { name: row.name });
      return element("td", { class: "is-rank" }, element("span", { class: "q-place" },
        pinButton(row.id, label, words.pin_hint),
        element("span", {}, number(row.rank, lang),
          ends && ends[0] < ends[1] ? element("span", { class: "q-range" }, ends.map((end) => number(end, lang)).join("–")) : null,
          row.was ? this.wasMark(row.was) : null)));
    }

    // Where another gold moved a row: the place that it had on the last one.
    wasMark({ rank, score: value, gold }) {
      const { words, lang, board } = this.page;
      const told = fill(words.was_hint, { rank: number(rank, lang), score: score(value, lang, board.digits), gold });
      return element("span", { class: "q-range", title: told }, fill(words.was, { rank: number(rank, lang) }), element("span", { class: "q-hidden" }, told));
    }

    nameCell(row) {
      const { words, links } = this.page;
      const hint = { "data-q-hint": isTied(row) ? words.tied : false };
      const link = row.is_gone ? element("span", { class: "q-muted", ...hint }, row.name)
        : element("a", { href: links.system.replace("SYSTEM", encodeURIComponent(row.system)), ...hint }, row.name);
      const marks = [row.is_sample ? "sample" : "", row.is_baseline ? "baseline" : "", row.open_weights ? "open" : ""].filter(Boolean).slice(0, 2);
      return element("th", { scope: "row", class: "is-name" }, element("span", { class: "q-system" }, link,
        row.version ? element("span", { class: "q-version" }, row.version) : null,
        ...marks.map((kind) => element("span", { class: "q-badge", title: words[`badge_${kind}_hint`] }, words[`badge_${kind}`])),
        isTied(row) ? element("span", { class: "q-hidden" }, words.tied) : null));
    }

    cell(row, column) {
      const value = column.value(row);
      const made = element("td", { class: `is-${column.kind}` });
      if (isMissing(value)) return this.missing(made, row, column);
      made.append(element("span", {}, column.show(row)));
      const range = this.ranges.get(column.key);
      if (range && range.high > range.low) {
        if (value === range.high) made.classList.add("is-best");
        if (column.shade) made.style.setProperty("--heat", `${Math.round(((value - range.low) / (range.high - range.low)) * 100)}%`);
      }
      if (this.axes.get(column.key)) this.addCertainty(made, row, column);
      const told = column.told ? column.told(row) : "";
      if (told) {
        made.title = told;
        made.append(" ", element("span", { class: "q-hidden" }, told));
      }
      return made;
    }

    missing(made, row, column) {
      const reason = column.shade && column.hint ? column.hint : this.page.words.no_value;
      const text = column.kind === "count" ? column.show(row) : MISSING;
      made.classList.add("is-missing");
      made.title = reason;
      made.append(element("span", {}, text));
      if (text === MISSING) made.append(element("span", { class: "q-hidden" }, reason));
      return made;
    }

    // How sure a score is: the ranking one says it in digits, the others with a pointer and to screen readers.
    addCertainty(made, row, column) {
      const { lang, board } = this.page;
      const ends = column.interval(row);
      const told = ends ? interval(ends, lang, board.digits) : "";
      if (column.kind === "primary" && told) made.append(" ", element("span", { class: "q-range" }, told));
      if (column.kind !== "primary" && told) {
        made.title = told;
        made.append(" ", element("span", { class: "q-hidden" }, told));
      }
      made.append(glyph(column.value(row), ends, this.axes.get(column.key)));
    }
  }

  function pinButton(id, label, hint) {
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("viewBox", "0 0 16 16");
    icon.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", PIN);
    icon.append(path);
    return element("button", { type: "button", class: "q-pin", "data-q": "pin", "data-key": id, "aria-pressed": "false", "aria-label": label, title: hint }, icon);
  }

  // A dot on an axis that the whole column shares; a line through it where the row has an interval.
  function glyph(value, ends, axis) {
    const span = axis.high - axis.low || 1;
    const place = (at) => `${(Math.min(1, Math.max(0, (at - axis.low) / span)) * 100).toFixed(1)}%`;
    const made = element("span", { class: `q-glyph${ends ? " has-interval" : ""}`, "aria-hidden": "true" });
    made.style.cssText = `--at: ${place(value)};` + (ends ? ` --low: ${place(ends[0])}; --high: ${place(ends[1])};` : "");
    return made;
  }

  return { Cells };
})();
