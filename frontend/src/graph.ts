// The map: a small force layout, drawn as links that the keyboard can reach. The page also lists it in words.
const SVG = "http://www.w3.org/2000/svg";
const STEPS = 320;
const LETTER_WIDTH = 5.9; // of a label, in drawing units
const LINE_HEIGHT = 17;

interface GraphData {
  nodes: { label: string; title: string; kind: string; hue: string; weight: number; address: string }[];
  edges: [number, number, string, number][];
  around: boolean; // whether the first node is the centre
}
interface Position { x: number; y: number; dx: number; dy: number }

// The positions of the nodes: they repel each other, edges attract, and the centre holds them all.
function layOut(graph: GraphData, wide: boolean): Position[] {
  const hold = wide ? { x: 0.01, y: 0.03 } : { x: 0.05, y: 0.014 };
  const positions = graph.nodes.map((_, at): Position => {
    const angle = at * 2.399963; // the golden angle spreads any number evenly
    const radius = at === 0 ? 0 : 40 + 14 * Math.sqrt(at) * 2.4;
    return { x: radius * Math.cos(angle) * 1.5, y: radius * Math.sin(angle), dx: 0, dy: 0 };
  });
  // Projects need space: their names are long and many edges meet there.
  const reach = graph.nodes.map((node) => (node.kind === "project" ? 2.6 : 1));
  for (let step = 0; step < STEPS; step++) {
    const heat = 1 - step / STEPS;
    repel(positions, reach);
    attract(positions, graph.edges, reach);
    for (const position of positions) {
      position.x += Math.max(-24, Math.min(24, (position.dx - position.x * hold.x) * heat));
      position.y += Math.max(-24, Math.min(24, (position.dy - position.y * hold.y) * heat));
      position.dx = position.dy = 0;
    }
    if (graph.around) positions[0]!.x = positions[0]!.y = 0;
  }
  return positions;
}

// Moves overlapping labels apart, up and down.
function separate(positions: Position[], labels: string[], zoom: number): void {
  const margin = 12 * zoom;
  for (let round = 0; round < 120; round++) {
    let moved = false;
    for (let one = 0; one < positions.length; one++) {
      for (let other = one + 1; other < positions.length; other++) {
        const a = positions[one]!, b = positions[other]!;
        const isApart = a.x + margin + labels[one]!.length * LETTER_WIDTH * zoom < b.x - margin || b.x + margin + labels[other]!.length * LETTER_WIDTH * zoom < a.x - margin;
        const overlap = LINE_HEIGHT * zoom - Math.abs(a.y - b.y);
        if (isApart || overlap <= 0) continue;
        const shift = (overlap / 2 + 0.5) * (a.y < b.y || (a.y === b.y && one < other) ? -1 : 1);
        a.y += shift;
        b.y -= shift;
        moved = true;
      }
    }
    if (!moved) return;
  }
}

function repel(positions: Position[], reach: number[]): void {
  for (let one = 0; one < positions.length; one++) {
    for (let other = one + 1; other < positions.length; other++) {
      const a = positions[one]!, b = positions[other]!;
      const x = a.x - b.x || 0.1, y = a.y - b.y || 0.1;
      const force = (5200 * reach[one]! * reach[other]!) / (x * x * 0.5 + y * y + 60);
      const length = Math.hypot(x, y);
      a.dx += (x / length) * force; a.dy += (y / length) * force;
      b.dx -= (x / length) * force; b.dy -= (y / length) * force;
    }
  }
}

function attract(positions: Position[], edges: GraphData["edges"], reach: number[]): void {
  for (const [one, other] of edges) {
    const a = positions[one]!, b = positions[other]!;
    const x = b.x - a.x, y = b.y - a.y;
    const length = Math.hypot(x, y) || 1;
    const force = (length - 55 * (reach[one]! + reach[other]!) * 0.8) * 0.03;
    a.dx += (x / length) * force; a.dy += (y / length) * force;
    b.dx -= (x / length) * force; b.dy -= (y / length) * force;
  }
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

function draw(host: HTMLElement): void {
  const graph = JSON.parse(host.dataset["graph"]!) as GraphData;
  if (!graph.nodes.length) return;
  const width = host.clientWidth || 1000, height = host.clientHeight || 560;
  const longest = width > 600 ? 30 : 20;
  const labels = graph.nodes.map(({ label }) => shortened(label, longest));
  const least = minimumWeight(graph), strong = drawnEdges(graph, least);
  const positions = layOut({ ...graph, edges: graph.edges.filter((_, at) => strong.has(at)) }, width > height);
  // A map that does not fit is scaled down, but not its letters, which then need more space: hence two rounds.
  let zoom = 1;
  let box = bounds(positions, labels, zoom, width, height);
  for (let round = 0; round < 2; round++) {
    zoom = Math.max(1, box[2] / width);
    separate(positions, labels, zoom);
    box = bounds(positions, labels, zoom, width, height);
  }
  const svg = shape("svg", { viewBox: box.join(" "), role: "group", "aria-label": "Map; the list below has the same content", "font-size": 11 * zoom });
  const thickest = Math.max(...graph.edges.map(([, , , weight]) => weight), 1);
  const lines = graph.edges.map(([one, other, what, weight]) => {
    const a = positions[one]!, b = positions[other]!;
    return shape("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: what, "stroke-width": zoom * (0.8 + 2.6 * (thickest > 1 ? weight / thickest : 0)) });
  });
  const heaviest = Math.max(...graph.nodes.map((node) => node.weight));
  const links = graph.nodes.map((node, at) => {
    const { x, y } = positions[at]!;
    const radius = (5 + (node.kind === "project" ? 4 : 0) + (heaviest > 1 ? 9 * Math.sqrt(node.weight / heaviest) : 2)) * Math.sqrt(zoom);
    const link = shape("a", { href: node.address, class: `kind-${node.kind} ${node.hue}${at === 0 && graph.around ? " centre" : ""}` });
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
  enablePanAndZoom(svg, box);
  enableFilters(graph, links, lines, least);
}

// The weight from which edges are drawn, so that a large map stays readable: about two per node.
function minimumWeight(graph: GraphData): number {
  const weights = graph.edges.map(([, , , weight]) => weight).sort((a, b) => b - a);
  return weights.length > 2 * graph.nodes.length ? weights[2 * graph.nodes.length]! + 1 : 1;
}

// The edges to draw: those with enough notes, and the strongest of each node, so that none stands alone.
function drawnEdges(graph: GraphData, least: number): Set<number> {
  const best = new Map<number, number>();
  graph.edges.forEach(([one, other, , weight], at) => {
    for (const node of [one, other]) if (weight > (graph.edges[best.get(node)!]?.[3] ?? 0)) best.set(node, at);
  });
  return new Set([...best.values(), ...graph.edges.flatMap(([, , , weight], at) => (weight >= least ? [at] : []))]);
}

// A label that is too long is cut after a whole word.
function shortened(label: string, longest: number): string {
  if (label.length <= longest) return label;
  const cut = label.slice(0, longest - 1), blank = cut.lastIndexOf(" ");
  return `${blank > longest / 2 ? cut.slice(0, blank) : cut}…`;
}

// Buttons hide kinds; a search and the pointer highlight nodes and fade the rest.
function enableFilters(graph: GraphData, links: SVGElement[], lines: SVGElement[], least: number): void {
  const slider = document.querySelector<HTMLInputElement>("[data-map-least]");
  const field = document.querySelector<HTMLInputElement>("[data-map-find]");
  const hidden = new Set<string>();
  const isShown = (at: number) => !hidden.has(graph.nodes[at]!.kind);
  const show = (highlighted?: Set<number>) => {
    links.forEach((link, at) => {
      link.style.display = isShown(at) ? "" : "none";
      link.classList.toggle("faint", highlighted !== undefined && !highlighted.has(at));
    });
    lines.forEach((line, at) => {
      const [one, other] = graph.edges[at]!;
      line.style.display = isShown(one) && isShown(other) && (drawn.has(at) || highlighted?.has(one) && highlighted.has(other)) ? "" : "none";
      line.classList.toggle("faint", highlighted !== undefined && !(highlighted.has(one) && highlighted.has(other)));
    });
  };
  let drawn = new Set<number>();
  const chooseEdges = () => {
    drawn = drawnEdges(graph, least);
    const status = document.querySelector("[data-map-lines]");
    if (status) status.textContent = drawn.size < graph.edges.length ? `${drawn.size} of ${graph.edges.length} lines shown: those with at least ${least} notes, and the strongest of each node.` : "";
  };
  const heaviest = Math.max(...graph.edges.map(([, , , weight]) => weight), 1);
  if (slider && heaviest > 1) {
    slider.max = String(heaviest);
    slider.value = String(least);
    slider.closest("label")!.hidden = false;
    slider.addEventListener("input", () => (least = Number(slider.value), chooseEdges(), show(matches())));
  }
  chooseEdges();
  const matches = () => {
    const query = field?.value.trim().toLowerCase();
    if (!query) return undefined;
    return new Set(graph.nodes.flatMap((node, at) => (node.title.toLowerCase().includes(query) && isShown(at) ? [at] : [])));
  };
  const showMatches = () => {
    const nodes = matches();
    const status = document.querySelector("[data-map-status]");
    if (status && nodes) status.textContent = `${nodes.size} of ${graph.nodes.length} match. Enter opens the first.`;
    show(nodes);
  };
  field?.addEventListener("input", showMatches);
  field?.addEventListener("keydown", (event) => {
    const first = matches()?.values().next().value;
    if (event.key === "Enter" && first !== undefined) location.assign(graph.nodes[first]!.address);
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-map-kind]")) {
    button.addEventListener("click", () => {
      const kind = button.dataset["mapKind"]!;
      if (!hidden.delete(kind)) hidden.add(kind);
      button.setAttribute("aria-pressed", String(!hidden.has(kind)));
      showMatches();
    });
  }
  links.forEach((link, at) => {
    const neighbours = new Set([at, ...graph.edges.flatMap(([one, other]) => (one === at ? [other] : other === at ? [one] : []))]);
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => show(neighbours));
    for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => show(matches()));
  });
  show();
}

// The view box: all nodes with their labels, in the aspect ratio of the page's box.
function bounds(positions: Position[], labels: string[], zoom: number, across: number, down: number): [number, number, number, number] {
  const ends = positions.map((position, at) => position.x + (20 + labels[at]!.length * LETTER_WIDTH) * zoom);
  const left = Math.min(...positions.map((position) => position.x)) - 24 * zoom, top = Math.min(...positions.map((position) => position.y)) - 24 * zoom;
  const width = Math.max(...ends) + 12 * zoom - left, height = Math.max(...positions.map((position) => position.y)) + 24 * zoom - top;
  const scale = Math.max(width / across, height / down, 0.75);
  return [left - (across * scale - width) / 2, top - (down * scale - height) / 2, across * scale, down * scale];
}

// The wheel with Ctrl zooms and dragging pans; buttons do the same.
function enablePanAndZoom(svg: SVGElement, fit: [number, number, number, number]): void {
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
