// Brings the parts of a page that show notes up to date, and leaves everything else as it is: what
// is selected, where the focus is, how far it was scrolled, what was typed.
export async function freshen(): Promise<void> {
  const parts = document.querySelectorAll<HTMLElement>("[data-live]");
  if (document.querySelector("form[aria-busy]")) return; // what is being saved may end what the page shows
  const address = location.href;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (location.href !== address) return; // somebody went on typing in the search
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (fresh) become(part, fresh);
  }
  document.dispatchEvent(new Event("freshened"));
}

function become(old: Element, fresh: Element): void {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !isState(old, name)) old.removeAttribute(name);
  const wanted = keys(fresh), had = keys(old);
  const names = new Set(wanted.values());
  for (const [child, name] of had) if (name && !names.has(name)) child.remove();
  const known = new Map([...had].map(([child, name]) => [name, child]));
  let place: ChildNode | null = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    // Blanks between elements come and go with what the page has to say.
    while (child instanceof Element && place && isBlank(place)) place = next(place);
    const name = child instanceof Element ? wanted.get(child) : "";
    const match = name ? known.get(name) : alike(place, child) ? place : undefined;
    if (!match) {
      old.insertBefore(document.importNode(child, true), place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else old.insertBefore(match, place);
    if (match instanceof Element && child instanceof Element) become(match, child);
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
  }
  while (place) place = next(place);
}

// What comes after a node that is not wanted any more.
function next(gone: ChildNode): ChildNode | null {
  const after = gone.nextSibling;
  gone.remove();
  return after;
}

function isBlank(node: ChildNode): boolean {
  return node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim();
}

// What the person did to an element, which the server does not know.
function isState(element: Element, name: string): boolean {
  return (element instanceof HTMLDetailsElement && name === "open") || name === "hidden";
}

// What each child is known by, so that a line of a list stays the line of its note wherever it moves.
function keys(parent: Element): Map<Element, string> {
  const found = new Map<Element, string>(), times = new Map<string, number>();
  for (const child of parent.children) {
    const name = key(child), time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    found.set(child, name && time > 1 ? `${name} ${time}` : name);
  }
  return found;
}

function key(element: Element): string {
  const own = element.getAttribute("data-key") ?? element.getAttribute("id"); // a form has its fields as properties
  if (own !== null) return own;
  const link = element.matches("a") ? element : element.matches("li, tr") ? element.querySelector("a[href]") : null;
  return link?.getAttribute("href") ?? "";
}

function alike(one: ChildNode | null, other: ChildNode): boolean {
  return one !== null && one.nodeName === other.nodeName && !(one instanceof Element && key(one));
}
