// The map: a small force layout, drawn as links that the keyboard reaches. The page has the same in words.
const SVG = "http://www.w3.org/2000/svg";
const STEPS = 320;
const WIDTH = 1000;
const HEIGHT = 560;

interface Given {
  nodes: { label: string; kind: string; weight: number; address: string }[];
  edges: [number, number, string][];
}
interface Place { x: number; y: number; dx: number; dy: number }

// Where everything stands: nodes push one another away, edges pull, the middle holds all.
function settle(given: Given): Place[] {
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
      place.x += Math.max(-24, Math.min(24, (place.dx - place.x * 0.012) * heat));
      place.y += Math.max(-24, Math.min(24, (place.dy - place.y * 0.03) * heat));
      place.dx = place.dy = 0;
    }
  }
  return places;
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
  const places = settle(given);
  const box = bounds(places);
  const svg = shape("svg", { viewBox: box.join(" "), role: "group", "aria-label": "Map; the list below says the same" });
  for (const [one, other, what] of given.edges) {
    const a = places[one]!, b = places[other]!;
    svg.append(shape("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: what }));
  }
  const heaviest = Math.max(...given.nodes.map((node) => node.weight));
  given.nodes.forEach((node, at) => {
    const { x, y } = places[at]!;
    const radius = node.kind === "project" ? 10 + (heaviest > 1 ? 8 * Math.sqrt(node.weight / heaviest) : 0) : node.kind === "tag" ? 6 : 7;
    const link = shape("a", { href: node.address, class: `kind-${node.kind}${at === 0 && given.nodes[0]!.weight === 1 ? " centre" : ""}` });
    link.append(shape("circle", { cx: x, cy: y, r: radius }));
    const text = shape("text", { x: x + radius + 4, y: y + 4 });
    text.textContent = node.label.length > 30 ? `${node.label.slice(0, 29)}…` : node.label;
    const title = shape("title", {});
    title.textContent = node.label;
    link.append(text, title);
    svg.append(link);
  });
  host.replaceChildren(svg);
  explore(svg, box);
}

function bounds(places: Place[]): [number, number, number, number] {
  const xs = places.map((place) => place.x), ys = places.map((place) => place.y);
  const left = Math.min(...xs, -60) - 40, top = Math.min(...ys, -60) - 40;
  const width = Math.max(...xs, 60) - left + 190, height = Math.max(...ys, 60) - top + 40;
  const scale = Math.max(width / WIDTH, height / HEIGHT, 0.6);
  return [left - (WIDTH * scale - width) / 2, top - (HEIGHT * scale - height) / 2, WIDTH * scale, HEIGHT * scale];
}

// The wheel zooms, dragging moves.
function explore(svg: SVGElement, box: [number, number, number, number]): void {
  const show = () => svg.setAttribute("viewBox", box.join(" "));
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const factor = event.deltaY > 0 ? 1.12 : 1 / 1.12;
    box = [box[0] + (box[2] * (1 - factor)) / 2, box[1] + (box[3] * (1 - factor)) / 2, box[2] * factor, box[3] * factor];
    show();
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const scale = box[2] / svg.clientWidth;
    box = [box[0] - event.movementX * scale, box[1] - event.movementY * scale, box[2], box[3]];
    show();
  });
}

for (const host of document.querySelectorAll<HTMLElement>("[data-graph]")) draw(host);
