// What the board's table holds: columns, the order of rows, and what the address says. No document is touched here.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.model = (function () {
  "use strict";
  const { score, params, number, fill } = qrelboard.numbers;

  // A column: key (also in the address), label, note under it, hint, the value that sorts, the text that shows, and the
  // direction of a first click. `shade` marks cells that are compared by their ground.
  function columnsOf(page, view) {
    const { board, words, labels, lang } = page;
    const columns = [
      { key: "rank", kind: "rank", label: words.rank, first: "asc", value: (row) => row.rank, show: (row) => number(row.rank, lang), interval: (row) => row.rank_interval },
      { key: "name", kind: "name", label: words.system, first: "asc", value: (row) => row.name.toLocaleLowerCase(lang), show: (row) => row.name },
    ];
    const scores = board.columns.map((column, place) => scoreColumn(page, column, place));
    const axis = board.axes.find((one) => one.id === view.by);
    const slices = axis ? axis.values.map((value, place) => sliceColumn(page, axis, value, place, view.of)) : [];
    columns.push(scores[0], ...slices, ...scores.slice(1));
    columns.push(
      { key: "answered", kind: "count", label: words.answered, hint: words.answered_hint, first: "desc", value: (row) => row.answered, show: (row) => fill(words.answered_of, { n: number(row.answered, lang), total: number(board.topics, lang) }) },
      { key: "params", kind: "count", label: words.params, hint: words.params_hint, first: "asc", value: (row) => row.params_millions, show: (row) => params(row.params_millions, lang) },
      { key: "date", kind: "date", label: words.date, first: "desc", value: (row) => row.submitted_at, show: (row) => row.submitted_at.slice(0, 10) },
    );
    return columns;
  }

  function scoreColumn(page, column, place) {
    const { board, labels, lang } = page;
    return {
      key: column.id,
      kind: place === 0 ? "primary" : "score",
      place,
      label: column.label || column.measure,
      note: place === 0 || column.mean !== board.columns[0].mean ? labels.means[column.mean] : "",
      hint: [column.label ? column.measure : "", labels.measures[column.measure] || ""].filter(Boolean).join(": "),
      isMeasure: true,
      first: "desc",
      value: (row) => row.scores[place],
      show: (row) => score(row.scores[place], lang, board.digits),
      interval: (row) => (row.intervals || [])[place],
    };
  }

  function sliceColumn(page, axis, value, place, measure) {
    const { board, words, labels, lang } = page;
    const at = Math.max(0, board.measures.indexOf(measure));
    const cell = (row) => (row.slices[axis.id] || [])[place];
    return {
      key: `${axis.id}:${value.id}`,
      kind: "slice",
      label: labels.values[axis.id][value.id] || value.id,
      note: fill(words.n_topics, { n: number(value.topics, lang) }),
      hint: value.enough ? "" : fill(words.too_few, { n: number(value.topics, lang) }),
      shade: true,
      first: "desc",
      value: (row) => (cell(row) ? cell(row)[at] : null),
      show: (row) => score(cell(row) ? cell(row)[at] : null, lang, board.digits),
    };
  }

  const isMissing = (value) => value === null || value === undefined || value === "";

  // Missing values stay last in both directions; equal ones keep the board's own order.
  function sorted(rows, column, direction) {
    if (!column) return rows;
    const sign = direction === "asc" ? 1 : -1;
    const keyed = rows.map((row, place) => ({ row, place, value: column.value(row) }));
    keyed.sort((a, b) => {
      if (isMissing(a.value) || isMissing(b.value)) return isMissing(a.value) - isMissing(b.value) || a.place - b.place;
      const order = typeof a.value === "string" ? a.value.localeCompare(b.value) : a.value - b.value;
      return order * sign || a.place - b.place;
    });
    return keyed.map((one) => one.row);
  }

  function matching(rows, query) {
    const wanted = query.trim().toLocaleLowerCase();
    return wanted ? rows.filter((row) => `${row.name} ${row.version}`.toLocaleLowerCase().includes(wanted)) : rows;
  }

  // Smallest and largest value of a column over all rows, so that shading does not change with a search.
  function rangeOf(rows, column) {
    const values = rows.map(column.value).filter((value) => !isMissing(value));
    return values.length ? { low: Math.min(...values), high: Math.max(...values) } : null;
  }

  // The axis that the dots of a column share: from the lowest to the highest end of its intervals.
  function axisOf(rows, column) {
    const ends = rows.flatMap((row) => [column.value(row), ...(column.interval(row) || [])]).filter((value) => !isMissing(value));
    return ends.length ? { low: Math.min(...ends), high: Math.max(...ends) } : null;
  }

  // The default view leaves the address clean.
  function readView(page, address) {
    const query = new URLSearchParams(address);
    const by = query.get("by");
    const of = query.get("of");
    const primary = page.board.columns[0].measure;
    return {
      q: query.get("q") || "",
      by: page.board.axes.some((axis) => axis.id === by) ? by : "",
      of: page.board.measures.includes(of) ? of : primary,
      sort: query.get("sort") || "",
      dir: query.get("dir") === "asc" || query.get("dir") === "desc" ? query.get("dir") : "",
      isWhole: query.get("rows") === "all",
      beside: query.get("beside") || "",
    };
  }

  function writeView(page, view, address) {
    const query = new URLSearchParams(address);
    const shown = {
      q: view.q,
      by: view.by,
      of: view.by && view.of !== page.board.columns[0].measure ? view.of : "",
      sort: view.sort,
      dir: view.sort ? view.dir : "",
      rows: view.isWhole ? "all" : "",
      beside: view.beside,
    };
    for (const [key, value] of Object.entries(shown)) {
      if (value) query.set(key, value);
      else query.delete(key);
    }
    return query.toString();
  }

  return { columnsOf, sorted, matching, rangeOf, axisOf, readView, writeView, isMissing };
})();
