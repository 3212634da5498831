// The map: a small force layout, drawn as links that the keyboard reaches. The page has the same in words.
const SVG = "http://www.w3.org/2000/svg";
const STEPS = 320;
const LETTER = 5.9; // units of width of one letter of a label
const LINE = 17;

interface Given {
  nodes: { label: string; title: string; kind: string; hue: string; weight: number; address: string }[];
  edges: [number, number, string, number][];
  around: boolean; // whether the first node is what the others are around
}
interface Place { x: number; y: number; dx: number; dy: number }

// Where everything stands: nodes push one another away, edges pull, the middle holds all.
function settle(given: Given, wide: boolean): Place[] {
  const hold = wide ? { x: 0.01, y: 0.03 } : { x: 0.05, y: 0.014 };
  const places = given.nodes.map((_, at): Place => {
    const angle = at * 2.399963; // the golden angle spreads any number evenly
    const radius = at === 0 ? 0 : 40 + 14 * Math.sqrt(at) * 2.4;
    return { x: radius * Math.cos(angle) * 1.5, y: radius * Math.sin(angle), dx: 0, dy: 0 };
  });
  // Projects need room: their names are long and many edges meet in them.
  const reach = given.nodes.map((node) => (node.kind === "project" ? 2.6 : 1));
  for (let step = 0; step < STEPS; step++) {
    const heat = 1 - step / STEPS;
    push(places, reach);
    pull(places, given.edges, reach);
    for (const place of places) {
      place.x += Math.max(-24, Math.min(24, (place.dx - place.x * hold.x) * heat));
      place.y += Math.max(-24, Math.min(24, (place.dy - place.y * hold.y) * heat));
      place.dx = place.dy = 0;
    }
    if (given.around) places[0]!.x = places[0]!.y = 0;
  }
  return places;
}

// Labels that cover one another move apart, up and down.
function separate(places: Place[], labels: string[], zoom: number): void {
  const fixed = 12 * zoom;
  for (let round = 0; round < 120; round++) {
    let moved = false;
    for (let one = 0; one < places.length; one++) {
      for (let other = one + 1; other < places.length; other++) {
        const a = places[one]!, b = places[other]!;
        const apart = a.x + fixed + labels[one]!.length * LETTER * zoom < b.x - fixed || b.x + fixed + labels[other]!.length * LETTER * zoom < a.x - fixed;
        const overlap = LINE * zoom - Math.abs(a.y - b.y);
        if (apart || overlap <= 0) continue;
        const by = (overlap / 2 + 0.5) * (a.y < b.y || (a.y === b.y && one < other) ? -1 : 1);
        a.y += by;
        b.y -= by;
        moved = true;
      }
    }
    if (!moved) return;
  }
}

function push(places: Place[], reach: number[]): void {
  for (let one = 0; one < places.length; one++) {
    for (let other = one + 1; other < places.length; other++) {
      const a = places[one]!, b = places[other]!;
      const x = a.x - b.x || 0.1, y = a.y - b.y || 0.1;
      const force = (5200 * reach[one]! * reach[other]!) / (x * x * 0.5 + y * y + 60);
      const length = Math.hypot(x, y);
      a.dx += (x / length) * force; a.dy += (y / length) * force;
      b.dx -= (x / length) * force; b.dy -= (y / length) * force;
    }
  }
}

function pull(places: Place[], edges: Given["edges"], reach: number[]): void {
  for (const [one, other] of edges) {
    const a = places[one]!, b = places[other]!;
    const x = b.x - a.x, y = b.y - a.y;
    const length = Math.hypot(x, y) || 1;
    const force = (length - 55 * (reach[one]! + reach[other]!) * 0.8) * 0.03;
    a.dx += (x / length) * force; a.dy += (y / length) * force;
    b.dx -= (x / length) * force; b.dy -= (y / length) * force;
  }
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function draw(host: HTMLElement): void {
  const given = JSON.parse(host.dataset["graph"]!) as Given;
  if (!given.nodes.length) return;
  const width = host.clientWidth || 1000, height = host.clientHeight || 560;
  const longest = width > 600 ? 30 : 20;
  const labels = given.nodes.map(({ label }) => fitting(label, longest));
  const least = few(given), strong = strongest(given, least);
  const places = settle({ ...given, edges: given.edges.filter((_, at) => strong.has(at)) }, width > height);
  // What does not fit is drawn smaller, but letters stay as large as they are: twice, for they need room.
  let zoom = 1;
  let box = bounds(places, labels, zoom, width, height);
  for (let round = 0; round < 2; round++) {
    zoom = Math.max(1, box[2] / width);
    separate(places, labels, zoom);
    box = bounds(places, labels, zoom, width, height);
  }
  const svg = shape("svg", { viewBox: box.join(" "), role: "group", "aria-label": "Map; the list below says the same", "font-size": 11 * zoom });
  const thickest = Math.max(...given.edges.map(([, , , weight]) => weight), 1);
  const lines = given.edges.map(([one, other, what, weight]) => {
    const a = places[one]!, b = places[other]!;
    return shape("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: what, "stroke-width": zoom * (0.8 + 2.6 * (thickest > 1 ? weight / thickest : 0)) });
  });
  const heaviest = Math.max(...given.nodes.map((node) => node.weight));
  const links = given.nodes.map((node, at) => {
    const { x, y } = places[at]!;
    const radius = (5 + (node.kind === "project" ? 4 : 0) + (heaviest > 1 ? 9 * Math.sqrt(node.weight / heaviest) : 2)) * Math.sqrt(zoom);
    const link = shape("a", { href: node.address, class: `kind-${node.kind} ${node.hue}${at === 0 && given.around ? " centre" : ""}` });
    link.append(shape("circle", { cx: x, cy: y, r: radius }));
    const text = shape("text", { x: x + radius + 4 * zoom, y: y + 4 * zoom });
    text.textContent = labels[at]!;
    const title = shape("title", {});
    title.textContent = node.weight > 1 ? `${node.title}: ${node.weight} notes` : node.title;
    link.append(text, title);
    return link;
  });
  svg.append(...lines, ...links);
  host.replaceChildren(svg);
  explore(svg, box);
  narrow(given, links, lines, least);
}

// How many notes a line needs to be drawn, so that a large map stays readable: two lines per node.
function few(given: Given): number {
  const weights = given.edges.map(([, , , weight]) => weight).sort((a, b) => b - a);
  return weights.length > 2 * given.nodes.length ? weights[2 * given.nodes.length]! + 1 : 1;
}

// The lines that are drawn: of enough notes, and the strongest of each node, which would else stand alone.
function strongest(given: Given, least: number): Set<number> {
  const best = new Map<number, number>();
  given.edges.forEach(([one, other, , weight], at) => {
    for (const node of [one, other]) if (weight > (given.edges[best.get(node)!]?.[3] ?? 0)) best.set(node, at);
  });
  return new Set([...best.values(), ...given.edges.flatMap(([, , , weight], at) => (weight >= least ? [at] : []))]);
}

// A label that is too long ends with a whole word.
function fitting(label: string, longest: number): string {
  if (label.length <= longest) return label;
  const cut = label.slice(0, longest - 1), blank = cut.lastIndexOf(" ");
  return `${blank > longest / 2 ? cut.slice(0, blank) : cut}…`;
}

// Kinds are hidden, a search and the pointer lift what they mean out of the rest.
function narrow(given: Given, links: SVGElement[], lines: SVGElement[], least: number): void {
  const slider = document.querySelector<HTMLInputElement>("[data-map-least]");
  const field = document.querySelector<HTMLInputElement>("[data-map-find]");
  const hidden = new Set<string>();
  const isShown = (at: number) => !hidden.has(given.nodes[at]!.kind);
  const show = (meant?: Set<number>) => {
    links.forEach((link, at) => {
      link.style.display = isShown(at) ? "" : "none";
      link.classList.toggle("faint", meant !== undefined && !meant.has(at));
    });
    lines.forEach((line, at) => {
      const [one, other] = given.edges[at]!;
      line.style.display = isShown(one) && isShown(other) && (drawn.has(at) || meant?.has(one) && meant.has(other)) ? "" : "none";
      line.classList.toggle("faint", meant !== undefined && !(meant.has(one) && meant.has(other)));
    });
  };
  let drawn = new Set<number>();
  const thin = () => {
    drawn = strongest(given, least);
    const said = document.querySelector("[data-map-lines]");
    if (said) said.textContent = drawn.size < given.edges.length ? `${drawn.size} of ${given.edges.length} lines: those of ${least} notes or more, and the strongest of each.` : "";
  };
  const heaviest = Math.max(...given.edges.map(([, , , weight]) => weight), 1);
  if (slider && heaviest > 1) {
    slider.max = String(heaviest);
    slider.value = String(least);
    slider.closest("label")!.hidden = false;
    slider.addEventListener("input", () => (least = Number(slider.value), thin(), show(found())));
  }
  thin();
  const found = () => {
    const wanted = field?.value.trim().toLowerCase();
    if (!wanted) return undefined;
    return new Set(given.nodes.flatMap((node, at) => (node.title.toLowerCase().includes(wanted) && isShown(at) ? [at] : [])));
  };
  const say = () => {
    const meant = found();
    const said = document.querySelector("[data-map-said]");
    if (said && meant) said.textContent = `${meant.size} of ${given.nodes.length} match. Enter opens the first.`;
    show(meant);
  };
  field?.addEventListener("input", say);
  field?.addEventListener("keydown", (event) => {
    const first = found()?.values().next().value;
    if (event.key === "Enter" && first !== undefined) location.assign(given.nodes[first]!.address);
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-map-kind]")) {
    button.addEventListener("click", () => {
      const kind = button.dataset["mapKind"]!;
      if (!hidden.delete(kind)) hidden.add(kind);
      button.setAttribute("aria-pressed", String(!hidden.has(kind)));
      say();
    });
  }
  links.forEach((link, at) => {
    const near = new Set([at, ...given.edges.flatMap(([one, other]) => (one === at ? [other] : other === at ? [one] : []))]);
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => show(near));
    for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => show(found()));
  });
  show();
}

// The part of the plane to show: everything with its label, in the shape of the page's box.
function bounds(places: Place[], labels: string[], zoom: number, across: number, down: number): [number, number, number, number] {
  const ends = places.map((place, at) => place.x + (20 + labels[at]!.length * LETTER) * zoom);
  const left = Math.min(...places.map((place) => place.x)) - 24 * zoom, top = Math.min(...places.map((place) => place.y)) - 24 * zoom;
  const width = Math.max(...ends) + 12 * zoom - left, height = Math.max(...places.map((place) => place.y)) + 24 * zoom - top;
  const scale = Math.max(width / across, height / down, 0.75);
  return [left - (across * scale - width) / 2, top - (down * scale - height) / 2, across * scale, down * scale];
}

// With Ctrl the wheel zooms, dragging moves; buttons do the same for everybody else.
function explore(svg: SVGElement, fit: [number, number, number, number]): void {
  let box = [...fit] as typeof fit;
  const show = () => svg.setAttribute("viewBox", box.join(" "));
  const zoom = (factor: number) => {
    box = [box[0] + (box[2] * (1 - factor)) / 2, box[1] + (box[3] * (1 - factor)) / 2, box[2] * factor, box[3] * factor];
    show();
  };
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.12 : 1 / 1.12);
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const scale = box[2] / svg.clientWidth;
    box = [box[0] - event.movementX * scale, box[1] - event.movementY * scale, box[2], box[3]];
    show();
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-map-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset["mapZoom"] === "fit") box = [...fit];
      zoom({ in: 1 / 1.3, out: 1.3 }[button.dataset["mapZoom"]!] ?? 1);
    });
  }
}

for (const host of document.querySelectorAll<HTMLElement>("[data-graph]")) draw(host);
