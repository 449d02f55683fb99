// The comparison is the address: the form leads to it, and an address that a form without scripts left is put right.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.compare = (function () {
  "use strict";

  function chosen(query) {
    const ids = (query.get("ids") || "").split(",").filter(Boolean);
    const [added, instead] = [query.get("add"), query.get("for")];
    if (added && ids.includes(instead)) ids[ids.indexOf(instead)] = added;
    else if (added) ids.push(added);
    return ids;
  }

  function clean(query) {
    query.set("ids", chosen(query).join(","));
    query.delete("add");
    query.delete("for");
    return query;
  }

  function tidy() {
    const query = new URLSearchParams(location.search);
    if (query.has("add")) qrelboard.address.write(clean(query));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-q-compare]");
    if (!form) return;
    event.preventDefault();
    const query = new URLSearchParams(location.search);
    for (const [name, value] of new FormData(form)) query.set(name, value);
    location.assign(`${location.pathname}?${clean(query).toString().replaceAll("%2C", ",")}`);
  });

  return { tidy };
})();
