// What the reader chose: as an address, as filters over the rows, and in words. No document is touched here.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.view = (function () {
  "use strict";
  const { params, fill } = qrelboard.numbers;
  const MOST_PINS = 4;
  const FILTERS = { open: (row) => row.open_weights === true, baseline: (row) => row.is_baseline };
  const STEPS = [1, 2, 5];

  const listed = (text) => [...new Set((text || "").split(",").filter(Boolean))];

  // The default view leaves the address clean; what an address asks for and the board does not have is left out.
  function readView(page, address) {
    const query = new URLSearchParams(address);
    const { board } = page;
    const by = query.get("by");
    const of = query.get("of");
    const size = Number(query.get("size"));
    const known = new Set(board.rows.map((row) => row.id));
    return {
      q: query.get("q") || "",
      by: board.axes.some((axis) => axis.id === by) ? by : "",
      of: board.measures.includes(of) ? of : board.columns[0].measure,
      sort: query.get("sort") || "",
      dir: query.get("dir") === "asc" || query.get("dir") === "desc" ? query.get("dir") : "",
      isWhole: query.get("rows") === "all",
      beside: query.get("beside") || "",
      only: listed(query.get("only")).filter((name) => name in FILTERS),
      size: size > 0 && Number.isFinite(size) ? size : 0,
      pin: listed(query.get("pin")).filter((id) => known.has(id)).slice(0, MOST_PINS),
      hide: listed(query.get("hide")),
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
      only: view.only.join(","),
      size: view.size ? String(view.size) : "",
      pin: view.pin.join(","),
      hide: view.hide.join(","),
    };
    for (const [key, value] of Object.entries(shown)) {
      if (value) query.set(key, value);
      else query.delete(key);
    }
    return query;
  }

  // The second number on a phone: the one that was chosen, else the slice that sorts, else the first with a number.
  function besideOf(page, view) {
    const axis = page.board.axes.find((one) => one.id === view.by);
    if (view.beside || !axis) return view.beside;
    const keys = axis.values.filter((value) => value.enough).map((value) => `${axis.id}:${value.id}`);
    return keys.includes(view.sort) ? view.sort : keys[0] || "";
  }

  const isDefault = (page, view) => writeView(page, view, "").toString() === "";

  // A row without a stated size is not known to be small: a size filter leaves it out.
  function matching(rows, { q, only, size }) {
    const wanted = q.trim().toLocaleLowerCase();
    const asked = only.map((name) => FILTERS[name]);
    return rows.filter((row) =>
      (!wanted || `${row.name} ${row.version}`.toLocaleLowerCase().includes(wanted)) &&
      asked.every((isWanted) => isWanted(row)) &&
      (!size || (row.params_millions !== null && row.params_millions <= size)));
  }

  // Round sizes (in millions) from the smallest system's to the largest's; the last only where it leaves somebody out.
  function sizeStops(rows) {
    const sizes = rows.map((row) => row.params_millions).filter((size) => size > 0);
    if (!sizes.length) return [];
    const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
    const stops = [];
    for (let power = Math.floor(Math.log10(low)); stops.length === 0 || stops[stops.length - 1] < high; power += 1) {
      stops.push(...STEPS.map((step) => Number((step * 10 ** power).toPrecision(1))).filter((stop) => stop >= low));
    }
    const enough = stops.findIndex((stop) => stop >= high);
    return stops.slice(0, sizes.length < rows.length ? enough + 1 : enough);
  }

  const isPossible = (rows, name) => rows.some(FILTERS[name]);

  // The filters that are on, as a reader would say them.
  function inWords({ words, lang }, { q, only, size }) {
    return [
      q.trim() ? fill(words.quoted, { query: q.trim() }) : "",
      ...only.map((name) => words[`only_${name}`]),
      size ? fill(words.size_most, { size: params(size, lang, size % 1000 === 0) }) : "",
    ].filter(Boolean);
  }

  return { MOST_PINS, FILTERS: Object.keys(FILTERS), besideOf, readView, writeView, isDefault, matching, sizeStops, isPossible, inWords };
})();
