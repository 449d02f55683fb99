// What the board's table holds: its columns and the order of its rows. No document is touched here.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.model = (function () {
  "use strict";
  const { score, interval, params, number, fill } = qrelboard.numbers;

  // A column: key (also in the address), label, note under it, hint, the value that sorts, the text that shows, and the
  // direction of a first click. `interval` gives both ends or null; `told` says more about one cell; `shade` marks cells
  // that are compared by their ground.
  function columnsOf(page, view) {
    const { board, words, lang } = page;
    const scores = board.columns.map((column, place) => scoreColumn(page, column, place));
    const axis = board.axes.find((one) => one.id === view.by);
    const slices = axis ? axis.values.map((value, place) => sliceColumn(page, axis, value, place, view.of)) : [];
    return [
      rankColumn(page),
      { key: "name", kind: "name", label: words.system, first: "asc", value: (row) => row.name.toLocaleLowerCase(lang), show: (row) => row.name },
      scores[0],
      ...slices,
      ...scores.slice(1),
      ...(board.rows.some((row) => row.sealed) ? [sealedColumn(page)] : []),
      { key: "answered", kind: "count", label: words.answered, hint: words.answered_hint, first: "desc", value: (row) => row.answered, show: (row) => fill(words.answered_of, { n: number(row.answered, lang), total: number(board.listed ?? board.topics, lang) }) },
      { key: "params", kind: "count", label: words.params, hint: words.params_hint, first: "asc", value: (row) => row.params_millions, show: (row) => params(row.params_millions, lang) },
      { key: "date", kind: "date", label: words.date, first: "desc", value: (row) => row.submitted_at, show: (row) => row.submitted_at.slice(0, 10) },
    ];
  }

  function rankColumn({ board, words, lang }) {
    const isSure = board.rows.some((row) => row.rank_interval);
    const hint = isSure ? `${words.rank_hint} ${words.rank_interval_hint}` : words.rank_hint;
    return { key: "rank", kind: "rank", label: words.rank, hint, first: "asc", value: (row) => row.rank, show: (row) => number(row.rank, lang), interval: (row) => row.rank_interval };
  }

  // The rank on the sealed half beside that on the live one, once the host has revealed it.
  function sealedColumn({ board, words, lang }) {
    return {
      key: "sealed",
      kind: "count",
      label: words.sealed_rank,
      hint: words.sealed_rank_hint,
      first: "asc",
      value: (row) => (row.sealed ? row.sealed.rank : null),
      show: (row) => (row.sealed ? fill(words.sealed_rank_of, { live: number(row.rank, lang), sealed: number(row.sealed.rank, lang) }) : ""),
      told: (row) => (row.sealed ? score(row.sealed.score, lang, board.digits) : ""),
    };
  }

  function scoreColumn(page, column, place) {
    const { board, words, labels, lang } = page;
    const halfWidth = (board.half_widths || [])[place];
    const isSure = board.rows.some((row) => (row.intervals || [])[place]);
    const inWords = labels.measures[column.measure] || "";
    const definition = column.label && inWords ? fill(words.labelled, { name: column.measure, value: inWords }) : inWords || column.measure;
    return {
      key: column.id,
      kind: place === 0 ? "primary" : "score",
      measure: column.measure,
      mean: column.mean,
      label: column.label || column.measure,
      note: place === 0 || column.mean !== board.columns[0].mean ? labels.means[column.mean] : "",
      certainty: isMissing(halfWidth) ? "" : fill(words.half_width, { value: score(halfWidth, lang, board.digits) }),
      hint: [definition, isSure ? words.interval_hint : "", isMissing(halfWidth) ? "" : words.half_width_hint].filter(Boolean).join(" "),
      isMeasure: true,
      isSure,
      first: "desc",
      value: (row) => row.scores[place],
      show: (row) => score(row.scores[place], lang, board.digits),
      interval: (row) => (row.intervals || [])[place],
    };
  }

  function sliceColumn(page, axis, value, place, measure) {
    const { board, words, labels, lang } = page;
    const at = Math.max(0, board.measures.indexOf(measure));
    const isRanking = measure === board.columns[0].measure;
    const cell = (row) => ((row.slices || {})[axis.id] || [])[place];
    const sure = (row, key) => (isRanking && row[key] && row[key][axis.id] ? row[key][axis.id][place] : null);
    const resolution = isMissing(value.resolution) || !isRanking ? "" : fill(words.resolution, { value: score(value.resolution, lang, value.digits) });
    return {
      key: `${axis.id}:${value.id}`,
      kind: "slice",
      measure,
      label: (labels.values[axis.id] || {})[value.id] || value.id,
      note: fill(words.n_topics, { n: number(value.topics, lang) }),
      hint: value.enough ? resolution : fill(words.too_few, { n: number(value.topics, lang) }),
      shade: true,
      first: "desc",
      value: (row) => (cell(row) ? cell(row)[at] : null),
      show: (row) => score(cell(row) ? cell(row)[at] : null, lang, value.digits),
      interval: (row) => sure(row, "slice_intervals"),
      told: (row) => sliceWords(page, sure(row, "slice_intervals"), sure(row, "slice_ranks")),
    };
  }

  // What is known of one slice of one system: its interval, its rank there and the ranks that are possible.
  function sliceWords({ board, words, lang }, ends, ranks) {
    const told = ends ? [interval(ends, lang, board.digits)] : [];
    if (ranks) {
      const [rank, low, high] = ranks.map((one) => number(one, lang));
      told.push(fill(low === high ? words.slice_rank : words.slice_ranks, { rank, low, high }));
    }
    return told.join(" · ");
  }

  const isMissing = (value) => value === null || value === undefined || value === "";

  // Missing values stay last in both directions; equal ones keep the board's own order.
  function sorted(rows, column, direction, lang) {
    if (!column) return rows;
    const sign = direction === "asc" ? 1 : -1;
    const { compare } = new Intl.Collator(lang);
    const keyed = rows.map((row, place) => ({ row, place, value: column.value(row) }));
    keyed.sort((a, b) => {
      if (isMissing(a.value) || isMissing(b.value)) return isMissing(a.value) - isMissing(b.value) || a.place - b.place;
      const order = typeof a.value === "string" ? compare(a.value, b.value) : a.value - b.value;
      return order * sign || a.place - b.place;
    });
    return keyed.map((one) => one.row);
  }

  // Smallest and largest value of a column over all rows, so that shading does not change with a search.
  function rangeOf(rows, column) {
    return ends(rows.map(column.value));
  }

  // The axis that the dots of a column share: from the lowest to the highest end of its intervals.
  function axisOf(rows, column) {
    return ends(rows.flatMap((row) => [column.value(row), ...(column.interval(row) || [])]));
  }

  function ends(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (isMissing(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low <= high ? { low, high } : null;
  }

  return { columnsOf, sorted, rangeOf, axisOf, isMissing };
})();
