// The search field at the top shows results as you type, on every page; the arrow keys move between
// the field and the results.
import { element } from "./dom";

interface PaletteEntry { title: string; address: string; hint: string }

const WAIT_MILLISECONDS = 150;

export function searchEverywhere(): void {
  const field = document.querySelector<HTMLInputElement>("#find");
  if (!field) return;
  const inPlace = document.querySelector("#results") !== null; // the list of notes updates itself
  let timer = 0, requests = 0, panel: HTMLElement | undefined;
  const close = (): void => (panel?.remove(), (panel = undefined));
  const lines = (): HTMLElement[] => [...(panel ?? document).querySelectorAll<HTMLElement>(panel ? "a" : "#results [data-row] a.row-title")];

  const search = async (): Promise<void> => {
    const query = field.value.trim(), number = ++requests;
    if (!query) return close();
    const response = await fetch(`/api/palette?q=${encodeURIComponent(query)}`).catch(() => undefined);
    if (!response?.ok || number !== requests || document.activeElement !== field) return;
    const notes = ((await response.json()) as { entries: PaletteEntry[] }).entries.filter((entry) => entry.address.startsWith("/notes/"));
    close();
    panel = element("div", { class: "find-results" }, ...notes.map(line),
      element("a", { href: `/notes?q=${encodeURIComponent(query)}` }, notes.length ? "All matches" : "Nothing found; search all notes"));
    field.form!.append(panel);
  };

  if (!inPlace) {
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void search(), WAIT_MILLISECONDS);
    });
    document.addEventListener("focusin", (event) => {
      if (!field.form!.contains(event.target as Node)) close();
    });
    document.addEventListener("click", (event) => {
      if (!field.form!.contains(event.target as Node)) close();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel) close();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const all = lines(), focused = document.activeElement as HTMLElement;
    const at = focused === field ? -1 : all.indexOf(focused);
    if (focused !== field && at < 0) return;
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    if (next < -1 || next >= all.length) return;
    event.preventDefault();
    (next < 0 ? field : all[next]!).focus();
  });
}

function line({ address, title, hint }: PaletteEntry): HTMLAnchorElement {
  return element("a", { href: address }, element("span", {}, title), element("span", { class: "muted" }, hint));
}
