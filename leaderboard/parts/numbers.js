// Numbers, scores and sizes as each language writes them: the same rules as texts/format.py, for what the browser draws.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.numbers = (function () {
  "use strict";
  const NARROW = "\u202f";
  const MISSING = "—";

  // toFixed rounds an exact tie up, Python to the even digit; a tie shows as 5 followed by zeros in the exact expansion.
  // The expansion takes long and is made only where twice the number, shifted, is whole, as it is for every tie.
  function fixed(value, digits) {
    if ((value * 10 ** digits * 2) % 1 !== 0) return value.toFixed(digits);
    const tail = Math.abs(value).toFixed(40).split(".")[1].slice(digits);
    if (!/^50*$/.test(tail)) return value.toFixed(digits);
    const scale = 10 ** digits;
    const below = Math.floor(Math.abs(value) * scale);
    const even = below % 2 === 0 ? below : below + 1;
    return ((Math.sign(value) * even) / scale).toFixed(digits);
  }

  function number(value, lang, digits = 0) {
    const [whole, rest] = fixed(value, digits).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, lang === "fr" ? NARROW : ",");
    return rest === undefined ? grouped : grouped + (lang === "fr" ? "," : ".") + rest;
  }

  function score(value, lang, digits = 3) {
    return value === null || value === undefined ? MISSING : number(value, lang, digits);
  }

  // `isRound` sizes are chosen, not measured: they have no decimals.
  function params(millions, lang, isRound = false) {
    if (millions === null || millions === undefined) return { fr: "n.c.", zh: "未知" }[lang] || "n/a";
    const gap = lang === "fr" ? NARROW : " ";
    if (millions >= 1000) return number(millions / 1000, lang, isRound || millions >= 100000 ? 0 : 1) + gap + (lang === "fr" ? "Md" : "B");
    return number(millions, lang, millions >= 10 || Number.isInteger(millions) ? 0 : 1) + gap + "M";
  }

  function interval(ends, lang, digits = 3) {
    return `[${ends.map((end) => score(end, lang, digits)).join(lang === "fr" ? `${NARROW}; ` : ", ")}]`;
  }

  // Fill the {placeholders} of a sentence.
  function fill(sentence, fields) {
    return sentence.replace(/\{(\w+)\}/g, (all, key) => (key in fields ? fields[key] : all));
  }

  return { MISSING, number, score, interval, params, fill };
})();
