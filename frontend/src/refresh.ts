// Updates the parts of a page that show notes, and leaves everything else alone: the selection, the
// focus, the scroll position, and what was typed.
import { pageSignal } from "./leaving";

export async function refreshPage(): Promise<void> {
  const parts = document.querySelectorAll<HTMLElement>("[data-live]");
  if (document.querySelector("form[aria-busy]")) return; // saving may replace the page
  const address = location.href, signal = pageSignal();
  if (!signal) return;
  const text = await fetchText(address, signal).catch(() => undefined);
  if (!text || location.href !== address) return; // the search changed in the meantime
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (fresh) update(part, fresh);
  }
  document.dispatchEvent(new Event("refreshed"));
}

async function fetchText(address: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(address, { signal });
  return response.ok && !response.redirected ? await response.text() : undefined;
}

function update(old: Element, fresh: Element): void {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !isUserState(old, name)) old.removeAttribute(name);
  const freshKeys = keys(fresh), oldKeys = keys(old);
  const names = new Set(freshKeys.values());
  for (const [child, name] of oldKeys) if (name && !names.has(name)) child.remove();
  const known = new Map([...oldKeys].map(([child, name]) => [name, child]));
  let place: ChildNode | null = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    // Whitespace between elements comes and goes with them.
    while (child instanceof Element && place && isBlank(place)) place = removeAndGetNext(place);
    const name = child instanceof Element ? freshKeys.get(child) : "";
    const match = name ? known.get(name) : isSameKind(place, child) ? place : undefined;
    if (!match) {
      old.insertBefore(document.importNode(child, true), place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else old.insertBefore(match, place);
    if (match instanceof Element && child instanceof Element) update(match, child);
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
  }
  while (place) place = removeAndGetNext(place);
}

function removeAndGetNext(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function isBlank(node: ChildNode): boolean {
  return node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim();
}

// State of an element that the user changed and the server does not know.
function isUserState(element: Element, name: string): boolean {
  return (element instanceof HTMLDetailsElement && name === "open") || name === "hidden";
}

// The key of each child, so that a line keeps its element when it moves in the list.
function keys(parent: Element): Map<Element, string> {
  const keyOf = new Map<Element, string>(), counts = new Map<string, number>();
  for (const child of parent.children) {
    const name = key(child), count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    keyOf.set(child, name && count > 1 ? `${name} ${count}` : name);
  }
  return keyOf;
}

function key(element: Element): string {
  const own = element.getAttribute("data-key") ?? element.getAttribute("id"); // not as properties: a form has its fields there
  if (own !== null) return own;
  const link = element.matches("a") ? element : element.matches("li, tr") ? element.querySelector("a[href]") : null;
  return link?.getAttribute("href") ?? "";
}

function isSameKind(old: ChildNode | null, fresh: ChildNode): boolean {
  return old !== null && old.nodeName === fresh.nodeName && !(old instanceof Element && key(old));
}
