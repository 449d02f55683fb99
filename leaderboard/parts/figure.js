// A drawing as a file: the wide one, with title, subtitle and source, in the colours that the reader sees.
globalThis.qrelboard = globalThis.qrelboard || {};
qrelboard.figure = (function () {
  "use strict";
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "font-family", "font-size", "font-variant-numeric"];
  const MARGIN = 24;
  const SHARPNESS = 2;
  const CHARACTERS = { title: 62, small: 125 };

  function element(tag, attributes, content = "") {
    const made = document.createElementNS(document.querySelector(".q-drawing").namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = content;
    return made;
  }

  // A file has no style sheet of ours: what it says now is written into every element.
  function copyWithStyles(drawing) {
    const copy = drawing.cloneNode(true);
    const seen = drawing.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((made, place) => {
      const style = getComputedStyle(seen[place]);
      for (const name of STYLES) if (style.getPropertyValue(name)) made.style.setProperty(name, style.getPropertyValue(name));
      made.removeAttribute("class");
    });
    copy.removeAttribute("class");
    return copy;
  }

  function linesOf(sentence, most) {
    const lines = [""];
    for (const word of sentence.trim().split(/\s+/)) {
      if ((lines[lines.length - 1] + word).length > most) lines.push("");
      lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
    }
    return lines;
  }

  function token(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  }

  function paragraph(file, sentence, y, size, colour, weight = 400) {
    const lines = linesOf(sentence, size > 16 ? CHARACTERS.title : CHARACTERS.small);
    lines.forEach((one, place) => file.append(element("text", { x: MARGIN, y: y + place * size * 1.4, fill: colour, "font-size": size, "font-weight": weight, "font-family": "sans-serif" }, one)));
    return y + lines.length * size * 1.4;
  }

  function legend(file, figure, y) {
    const entries = figure.querySelectorAll("ul.q-chart-legend li");
    let x = MARGIN + 7;
    for (const entry of entries) {
      const mark = copyWithStyles(entry.querySelector("svg"));
      const path = mark.querySelector("path");
      path.style.fill = getComputedStyle(entry.querySelector("svg")).color;
      path.setAttribute("transform", `translate(${x} ${y - 4})`);
      file.append(path, element("text", { x: x + 14, y, fill: token("--q-text"), "font-size": 13, "font-family": "sans-serif" }, entry.textContent));
      x += 40 + file.lastChild.textContent.length * 7.5;
    }
    return entries.length ? y + 16 : y;
  }

  function fileOf(figure) {
    const drawing = figure.querySelector(".q-drawing.is-wide");
    const { width, height } = drawing.viewBox.baseVal;
    const file = element("svg", {});
    const ground = element("rect", { fill: token("--q-surface"), width: "100%", height: "100%" });
    file.append(ground);
    let y = paragraph(file, figure.querySelector("h2").textContent, MARGIN + 16, 20, token("--q-text"), 650);
    y = paragraph(file, figure.querySelector("figcaption p").textContent, y, 13, token("--q-muted"));
    y = legend(file, figure, y + 8);
    const copy = copyWithStyles(drawing);
    copy.setAttribute("x", MARGIN);
    copy.setAttribute("y", y);
    file.append(copy);
    const source = `${figure.querySelector("[data-q-source]").textContent} ${location.origin}${location.pathname}`;
    y = paragraph(file, source, y + height + 24, 12, token("--q-muted"));
    const size = { width: width + 2 * MARGIN, height: Math.ceil(y + MARGIN / 2) };
    for (const [name, value] of Object.entries(size)) file.setAttribute(name, value);
    file.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    return { text: new XMLSerializer().serializeToString(file), ...size };
  }

  async function asPixels({ text, width, height }) {
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SHARPNESS;
    canvas.height = height * SHARPNESS;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest && event.target.closest("[data-q-picture]");
    if (!button) return;
    const figure = button.closest("[data-q-figure]");
    const file = fileOf(figure);
    const kind = button.dataset.qPicture;
    const blob = kind === "png" ? await asPixels(file) : new Blob([file.text], { type: "image/svg+xml" });
    qrelboard.downloads.saveFile(blob, `${figure.dataset.qFigure}.${kind}`);
  });

  return { fileOf };
})();
