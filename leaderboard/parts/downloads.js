// The view as a file: the rows that match, in their order, and the columns that are shown.
// CSV and JSON hold numbers as they are (on sealed gold: the digits that are shown), LaTeX and Markdown what people read.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.downloads = (function () {
  "use strict";
  const { isMissing, rangeOf } = qrelboard.model;
  const { interval, number } = qrelboard.numbers;
  const TYPES = { csv: "text/csv", json: "application/json", tex: "application/x-tex", md: "text/markdown" };
  // What a spreadsheet takes for a formula, also after spaces and as full-width signs.
  const FORMULA = /^(\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])/;
  const LATEX = {
    "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", _: "\\_", "%": "\\%", "^": "\\textasciicircum{}",
    "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\textquotedbl{}", "↑": "$\\uparrow$",
    "–": "--", "—": "---", "≤": "$\\leq$", "±": "$\\pm$", "·": "\\textperiodcentered{}", "…": "\\dots{}", "’": "'", "\u00a0": "~", "\u202f": "\\,",
  };

  // A finite number, rounded where the gold is sealed; null for anything else.
  function exact(value, { gold, digits }) {
    if (typeof value !== "number" || !Number.isFinite(value)) return null;
    return gold.kind === "sealed" ? Number(value.toFixed(digits)) : value;
  }

  const exactEnds = (ends, board) => (ends ? ends.map((end) => exact(end, board)) : null);
  const isScore = (column) => column.isMeasure || column.kind === "slice";
  const hasInterval = (rows, column) => Boolean(column.interval) && rows.some((row) => column.interval(row));

  // What a machine reads in a column that holds no score.
  const FIELDS = {
    rank: (row) => [["rank", row.rank]],
    name: (row) => [["system", row.name], ["version", row.version]],
    answered: (row) => [["answered", row.answered]],
    params: (row) => [["params_millions", row.params_millions]],
    sealed: (row) => [["sealed_rank", row.sealed ? row.sealed.rank : null], ["sealed_score", row.sealed ? row.sealed.score : null]],
    date: (row) => [["submitted_at", row.submitted_at]],
  };

  // Pairs of name and value for one row, the same names for every row.
  function fieldsOf(row, { page, columns, rows }) {
    const { board } = page;
    const fields = columns.flatMap((column) => {
      const told = isScore(column) ? [[column.key, exact(column.value(row), board)]] : FIELDS[column.key](row);
      if (!hasInterval(rows, column)) return told;
      const [low, high] = (column.kind === "rank" ? column.interval(row) : exactEnds(column.interval(row), board)) || [null, null];
      return [...told, [`${column.key}_low`, low], [`${column.key}_high`, high]];
    });
    return [...fields, ["open_weights", row.open_weights], ["is_baseline", row.is_baseline], ["is_sample", row.is_sample], ["submission", row.id]];
  }

  function csvCell(value) {
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
    if (isMissing(value)) return "";
    const text = String(value);
    const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  function csv(shown) {
    const lines = shown.rows.map((row) => fieldsOf(row, shown));
    const names = fieldsOf(shown.page.board.rows[0], shown).map(([name]) => name);
    return [names, ...lines.map((fields) => fields.map(([, value]) => value))].map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
  }

  function json(shown) {
    const { page, columns, link } = shown;
    const { task, revision, made_at, gold, topics, digits, uncertainty, half_widths } = page.board;
    const about = columns.filter(isScore).map((column) => ({ id: column.key, measure: column.measure, mean: column.mean || null, label: column.label }));
    const rows = shown.rows.map((row) => Object.fromEntries(fieldsOf(row, shown)));
    const whole = { task, caption: page.caption, link, revision, made_at, gold, topics, digits, uncertainty: uncertainty || null, half_widths: half_widths || null, columns: about, rows };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }

  const latexText = (text) => text.replace(/[\r\n\t]+/g, " ").replace(/[\\{}$&#_%^~<>|"↑–—≤±·…’\u00a0\u202f]/g, (sign) => LATEX[sign]);

  // An address may break after its signs, else it runs out of the column.
  const latexLink = (link) => `\\texttt{${link.split(/(?<=[/?&=,])/).map(latexText).join("\\allowbreak{}")}}`;

  function latexCell(row, column, { page, ranges }) {
    const value = column.value(row);
    const ends = column.interval ? column.interval(row) : null;
    const text = latexText(isMissing(value) && column.kind !== "count" ? "—" : plain(row, column));
    const isBest = isScore(column) && !isMissing(value) && ranges.get(column.key).high === value;
    const told = isBest ? `\\textbf{${text}}` : text;
    return ends ? `${told} {\\scriptsize ${latexText(endsInWords(ends, column, page))}}` : told;
  }

  const plain = (row, column) => (column.kind === "name" ? `${row.name} ${row.version}`.trim() : column.show(row));

  function endsInWords(ends, column, { lang, board }) {
    if (column.kind !== "rank") return interval(ends, lang, board.digits);
    return ends[0] < ends[1] ? `(${ends.map((end) => number(end, lang)).join("–")})` : "";
  }

  const rangesOf = ({ page, columns }) => new Map(columns.filter(isScore).map((column) => [column.key, rangeOf(page.board.rows, column) || {}]));
  const headOf = (column) => (column.isMeasure ? `${column.label} ↑` : column.label);

  function latex(shown) {
    const { page, columns, rows, link } = shown;
    const ranges = rangesOf(shown);
    const line = (cells) => `${cells.join(" & ")} \\\\`;
    return [
      "% \\usepackage{booktabs}",
      "\\begin{table}",
      "  \\centering",
      `  \\caption{${latexText(page.caption)} ${latexLink(link)}}`,
      `  \\begin{tabular}{@{}${columns.map((column) => (column.kind === "name" ? "l" : "r")).join("")}@{}}`,
      "    \\toprule",
      `    ${line(columns.map((column) => latexText(headOf(column))))}`,
      "    \\midrule",
      ...rows.map((row) => `    ${line(columns.map((column) => latexCell(row, column, { page, ranges })))}`),
      "    \\bottomrule",
      "  \\end{tabular}",
      "\\end{table}",
      "",
    ].join("\n");
  }

  const markdownText = (text) => text.replace(/[\r\n\t]+/g, " ").replace(/[\\`*_[\]|~$#!]/g, "\\$&").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function markdownCell(row, column, { page, ranges }) {
    const value = column.value(row);
    const ends = column.interval ? column.interval(row) : null;
    const text = markdownText(isMissing(value) && column.kind !== "count" ? "—" : plain(row, column));
    const isBest = isScore(column) && !isMissing(value) && ranges.get(column.key).high === value;
    return [isBest ? `**${text}**` : text, ends ? markdownText(endsInWords(ends, column, page)) : ""].filter(Boolean).join(" ");
  }

  function markdown(shown) {
    const { page, columns, rows, link } = shown;
    const ranges = rangesOf(shown);
    const line = (cells) => `| ${cells.join(" | ")} |`;
    return [
      `${markdownText(page.caption)} <${link}>`,
      "",
      line(columns.map((column) => markdownText(headOf(column)))),
      line(columns.map((column) => (column.kind === "name" ? ":--" : "--:"))),
      ...rows.map((row) => line(columns.map((column) => markdownCell(row, column, { page, ranges })))),
      "",
    ].join("\n");
  }

  const WRITERS = { csv, json, tex: latex, md: markdown };

  function saveFile(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function save(kind, shown) {
    const { task, gold } = shown.page.board;
    const blob = new Blob([WRITERS[kind](shown)], { type: `${TYPES[kind]};charset=utf-8` });
    saveFile(blob, `${task}-${gold.version}.${kind}`.replace(/[^\w.-]+/g, "-"));
  }

  return { save, saveFile };
})();
