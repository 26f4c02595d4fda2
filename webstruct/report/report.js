"use strict";
// Three parts, each on its own: tables that sort, the table of articles, the link graph; and a walk through drawn blocks.
// Whatever comes from the site is set as text; nothing here makes HTML or asks for anything.

const data = JSON.parse(document.getElementById("data").textContent);
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const numbers = new Intl.NumberFormat("en");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function link(url) {
  if (!/^https?:\/\//i.test(url) || url.endsWith("…")) return element("span", { textContent: url, dir: "auto" });
  return element("a", { href: url, rel: "noopener noreferrer", textContent: url, dir: "auto" });
}

// Buttons in the head of a table choose column and direction; `apply(column, isNumber, sign)` does the sorting.
function sortable(table, apply) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const isNumber = head.dataset.sort === "number";
    const before = head.getAttribute("aria-sort");
    const ascending = before ? before === "descending" : !isNumber;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    apply(column, isNumber, ascending ? 1 : -1);
  }));
}

for (const table of document.querySelectorAll("table.sortable")) {
  sortable(table, (column, isNumber, sign) => {
    const key = (row) => {
      const text = row.cells[column].textContent.trim();
      return isNumber ? parseFloat(text.replace(/,/g, "")) || 0 : text;
    };
    const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
    rows.sort(([a], [b]) => sign * (isNumber ? a - b : collator.compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  });
}

// Articles

function showArticles(root, articles) {
  const PER_PAGE = 25;
  const body = root.querySelector("tbody");
  const search = root.querySelector("[data-search]");
  const status = root.querySelector("[data-status]");
  const buttons = [...root.querySelectorAll("[data-page]")];
  const columns = [
    (row) => row.title || row.url, (row) => row.date, (row) => row.section.join(" › "), (row) => row.author,
    (row) => row.chars, (row) => row.confidence,
  ];
  const labels = [...root.querySelectorAll("thead button")].map((button) => button.textContent);
  const haystack = articles.map((row) => [row.title, row.url, row.author, row.section.join(" "), row.text].join("\n").toLowerCase());
  let order = articles.map((_, place) => place);
  let found = order;
  let first = 0;

  function row(place) {
    const article = articles[place];
    const id = `article-${place}`;
    const button = element("button", { type: "button", textContent: columns[0](article), lang: article.language, dir: "auto" });
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", id);
    const cells = columns.map((value, column) => {
      const cell = element("td", { className: column > 3 ? "number" : "" });
      if (column) cell.dataset.label = labels[column];
      cell.append(column === 0 ? button : column === 4 ? numbers.format(value(article)) : column === 5 ? value(article).toFixed(2) : value(article));
      return cell;
    });
    const text = element("tr", { className: "text", id, hidden: true });
    button.addEventListener("click", () => {
      if (!text.firstChild) text.append(content(article));
      text.hidden = !text.hidden;
      button.setAttribute("aria-expanded", String(!text.hidden));
    });
    return [element("tr", {}, ...cells), text];
  }

  function content(article) {
    const cut = article.text.length < article.chars;
    const cell = element("td", { colSpan: columns.length },
      element("p", { className: "from" }, link(article.url)),
      element("p", { className: "body", textContent: article.text + (cut ? " …" : ""), lang: article.language, dir: "auto" }));
    if (cut) cell.append(element("p", { className: "from", textContent: `The first ${numbers.format(article.text.length)} of ${numbers.format(article.chars)} characters.` }));
    for (const url of article.lists) cell.append(element("p", { className: "from" }, "Listed by ", link(url)));
    return cell;
  }

  function show() {
    const last = Math.min(first + PER_PAGE, found.length);
    body.replaceChildren(...found.slice(first, last).flatMap(row));
    status.textContent = found.length ? `${numbers.format(first + 1)}–${numbers.format(last)} of ${numbers.format(found.length)} articles` : "No article has these words.";
    buttons[0].disabled = first === 0;
    buttons[1].disabled = last === found.length;
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = order.filter((place) => words.every((word) => haystack[place].includes(word)));
    first = 0;
    show();
  }

  search.addEventListener("input", filter);
  buttons.forEach((button) => button.addEventListener("click", () => {
    first = Math.max(0, first + Number(button.dataset.page) * PER_PAGE);
    show();
  }));
  sortable(root.querySelector("table"), (column, isNumber, sign) => {
    const value = columns[column];
    order = articles.map((_, place) => place).sort((a, b) => {
      const [left, right] = [value(articles[a]), value(articles[b])];
      if (!isNumber && !left !== !right) return left ? -1 : 1;
      return sign * (isNumber ? left - right : collator.compare(left, right)) || a - b;
    });
    filter();
  });
  show();
}

// The link graph

function drawGraph(root, graph) {
  const frame = root.querySelector(".canvas");
  const canvas = root.querySelector("canvas");
  const context = canvas.getContext("2d");
  const chosenText = root.querySelector("[data-chosen]");
  const range = root.querySelector("[data-entropy]");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const types = ["toc", "article", "other"];
  const names = ["list page", "article", "other page"];
  const pages = graph.titles.length;
  const lists = graph.types.flatMap((type, page) => (type === 0 ? [page] : [])).sort((a, b) => graph.sizes[b] - graph.sizes[a]);
  let view = { x: 0, y: 0, scale: 1 };
  let whole = 1;        // the scale at which all of the map is seen
  let cut = 1;          // 0: all links, 1: informative links; between them while it fades
  let entropy = 100;
  let chosen = -1;
  let found = new Set();
  let colors = {};
  let waiting = false;

  const spacing = Math.sqrt(graph.extent[0] * graph.extent[1] / (4 * Math.max(1, pages)));
  const faint = Math.max(0.03, Math.min(0.12, 100 / graph.linked.kept.drawn));
  const radius = (page) => (graph.types[page] === 0 ? 3 + Math.min(5, Math.sqrt(graph.sizes[page]) * 0.7) : 2.1);
  const sx = (page) => (graph.x[page] - view.x) * view.scale;
  const sy = (page) => (graph.y[page] - view.y) * view.scale;

  function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of [...types, "edge", "region", "ink", "soft", "ground", "line", "focus"]) colors[name] = style.getPropertyValue(`--${name}`).trim();
    request();
  }

  function fit() {
    const { clientWidth: width, clientHeight: height } = frame;
    whole = Math.min(Math.max(width - 30, 10) / graph.extent[0], Math.max(height - 50, 10) / graph.extent[1]);
    view = { scale: whole, x: graph.extent[0] / 2 - width / 2 / whole, y: graph.extent[1] / 2 - (height / 2 + 8) / whole };
    request();
  }

  function zoom(factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
    const scale = Math.min(30 * whole, Math.max(whole / 2, view.scale * factor));
    view = { scale, x: view.x + x / view.scale - x / scale, y: view.y + y / view.scale - y / scale };
    request();
  }

  function move(dx, dy) {
    view = { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
    request();
  }

  function request() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function draw() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = frame;
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    drawRegions();
    drawLinks(0, 0.13 * (1 - cut), "edge");
    drawLinks(1, 0.13 * (1 - cut) + faint * cut, cut > 0.5 ? "toc" : "edge");
    drawLinks(2, 0.13 + 0.5 * cut, cut > 0.5 ? "article" : "edge");
    drawPages(width, height);
    drawNames();
  }

  function drawRegions() {
    context.fillStyle = colors.region;
    for (const { x, y, radius: own } of graph.sections) {
      context.beginPath();
      context.arc((x - view.x) * view.scale, (y - view.y) * view.scale, own * view.scale, 0, 2 * Math.PI);
      context.fill();
    }
  }

  function drawLinks(kind, alpha, color) {
    if (alpha < 0.01) return;
    context.globalAlpha = chosen >= 0 ? alpha / 3 : alpha;
    context.strokeStyle = colors[color];
    context.lineWidth = 0.7;
    context.beginPath();
    const strong = [];
    for (let at = 0; at < graph.links.length; at += 4) {
      const [from, to] = [graph.links[at], graph.links[at + 1]];
      if (graph.links[at + 3] !== kind || (cut < 0.5 && graph.links[at + 2] > entropy)) continue;
      if (from === chosen || to === chosen) strong.push(from, to);
      context.moveTo(sx(from), sy(from));
      context.lineTo(sx(to), sy(to));
    }
    context.stroke();
    context.globalAlpha = 0.9;
    context.strokeStyle = colors.focus;
    context.lineWidth = 1.1;
    context.beginPath();
    for (let at = 0; at < strong.length; at += 2) {
      context.moveTo(sx(strong[at]), sy(strong[at]));
      context.lineTo(sx(strong[at + 1]), sy(strong[at + 1]));
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  function drawPages(width, height) {
    const grow = Math.min(2.4, Math.max(0.45, view.scale * spacing / 12));
    for (let type = 2; type >= 0; type--) {
      context.fillStyle = colors[types[type]];
      context.beginPath();
      for (let page = 0; page < pages; page++) {
        if (graph.types[page] !== type) continue;
        const [x, y, own] = [sx(page), sy(page), radius(page) * grow];
        if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
        context.moveTo(x + own, y);
        context.arc(x, y, own, 0, 2 * Math.PI);
      }
      context.fill();
    }
    context.strokeStyle = colors.focus;
    context.lineWidth = 2;
    for (const page of chosen >= 0 ? [...found, chosen] : found) {
      context.beginPath();
      context.arc(sx(page), sy(page), radius(page) * grow + 3, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  function drawNames() {
    context.textAlign = "center";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = colors.ground;
    const write = (text, x, y) => { context.strokeText(text, x, y); context.fillText(text, x, y); };
    context.font = "600 13px system-ui, sans-serif";
    for (const { name, x, y, radius: own } of graph.sections) {
      context.fillStyle = name ? colors.ink : colors.soft;
      if (own * view.scale > 22) write(name || "outside of sections", (x - view.x) * view.scale, Math.max(16, (y - own - view.y) * view.scale + 4));
    }
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colors.soft;
    const placed = [];
    for (const page of view.scale * spacing > 22 ? [...(chosen >= 0 ? [chosen] : []), ...lists] : []) {
      const [x, y] = [sx(page), sy(page) + radius(page) + 16];
      if (x < 0 || y < 0 || x > frame.clientWidth || y > frame.clientHeight) continue;
      if (placed.some(([px, py]) => Math.abs(px - x) < 130 && Math.abs(py - y) < 15) || placed.length > 60) continue;
      placed.push([x, y]);
      write(graph.titles[page].slice(0, 26), x, y);
    }
  }

  function nearest(x, y) {
    let [best, least] = [-1, 14 ** 2];
    for (let page = 0; page < pages; page++) {
      const distance = (sx(page) - x) ** 2 + (sy(page) - y) ** 2;
      if (distance < least) [best, least] = [page, distance];
    }
    return best;
  }

  function tell(page) {
    if (page < 0) return chosenText.replaceChildren();
    let [out, into] = [0, 0];
    for (let at = 0; at < graph.links.length; at += 4) {
      if (graph.links[at] === page) out++;
      if (graph.links[at + 1] === page) into++;
    }
    const about = `${names[graph.types[page]]}${graph.types[page] ? "" : `, lists ${numbers.format(graph.sizes[page])} articles`}; ${numbers.format(out)} links from it and ${numbers.format(into)} to it are drawn. `;
    chosenText.replaceChildren(element("strong", { textContent: graph.titles[page] || graph.urls[page], dir: "auto" }), " ", about, link(graph.urls[page]));
  }

  function choose(page, center) {
    chosen = page;
    tell(page);
    if (page >= 0 && center) view = { ...view, x: graph.x[page] - frame.clientWidth / 2 / view.scale, y: graph.y[page] - frame.clientHeight / 2 / view.scale };
    request();
  }

  function step(by) {
    const place = lists.indexOf(chosen);
    if (lists.length) choose(lists[place < 0 ? (by > 0 ? 0 : lists.length - 1) : (place + by + lists.length) % lists.length], true);
  }

  function showCut(after) {
    range.closest("label").hidden = after;
    const goal = after ? 1 : 0;
    if (still.matches) { cut = goal; return request(); }
    const [from, start] = [cut, performance.now()];
    const fade = (now) => {
      const share = Math.min(1, Math.max(0, now - start) / 450);
      cut = from + (goal - from) * share;
      request();
      if (share < 1) requestAnimationFrame(fade);
    };
    requestAnimationFrame(fade);
  }

  const keys = {
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: fit,
    ArrowLeft: () => move(50, 0), ArrowRight: () => move(-50, 0), ArrowUp: () => move(0, 50), ArrowDown: () => move(0, -50),
    n: () => step(1), p: () => step(-1), Escape: () => choose(-1),
  };
  frame.addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  frame.addEventListener("wheel", (event) => {
    if (document.activeElement !== frame && !event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
  }, { passive: false });

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    canvas.setPointerCapture(event.pointerId);
    frame.classList.add("dragging");
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      const page = nearest(event.offsetX, event.offsetY);
      canvas.title = page >= 0 ? graph.titles[page] || graph.urls[page] : "";
      return;
    }
    const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (other) zoom(Math.hypot(event.offsetX - other[0], event.offsetY - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), ...other);
    else move(dx, dy);
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => {
    fingers.delete(event.pointerId);
    frame.classList.remove("dragging");
    if (end === "pointerup" && moved < 5) choose(nearest(event.offsetX, event.offsetY));
  });

  const zooms = { in: () => zoom(1.5), out: () => zoom(1 / 1.5), reset: fit };
  for (const button of root.querySelectorAll("[data-zoom]")) button.addEventListener("click", zooms[button.dataset.zoom]);
  for (const input of root.querySelectorAll("[name=cut]")) input.addEventListener("change", () => showCut(input.value === "after"));
  range.addEventListener("input", () => {
    entropy = Number(range.value);
    root.querySelector("[data-entropy-shown]").value = (entropy / 100).toFixed(2);
    request();
  });
  root.querySelector("[data-find]").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    const hits = wanted ? graph.titles.flatMap((title, page) => (`${title}\n${graph.urls[page]}`.toLowerCase().includes(wanted) ? [page] : [])) : [];
    found = new Set(hits.slice(0, 200));
    choose(hits.length ? hits[0] : -1, true);
    if (hits.length !== 1 && wanted) chosenText.prepend(`${numbers.format(hits.length)} pages found. `);
  });

  new ResizeObserver(fit).observe(frame);
  // Paper has another size and no time for the next frame.
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => { readColors(); fit(); draw(); });
  readColors();
  // For tests, and for whoever wants to see what is seen.
  frame.graphView = () => ({ ...view, cut, entropy, chosen });
}

// Blocks of a drawn page: one stop of the Tab key for each drawing, the arrow keys walk within it.

for (const drawing of document.querySelectorAll("[data-drawing]")) {
  const boxes = [...drawing.querySelectorAll("[data-box]")];
  if (boxes.length) boxes[0].tabIndex = 0;
  drawing.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const next = boxes[boxes.indexOf(document.activeElement) + by];
    if (!by || !boxes.includes(document.activeElement)) return;
    event.preventDefault();
    if (!next) return;
    document.activeElement.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

const articles = document.querySelector("[data-articles]");
if (articles) showArticles(articles, data.articles);
const graph = document.querySelector("[data-graph]");
if (graph) drawGraph(graph, data.graph);
