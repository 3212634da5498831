// The selected notes, kept across the pages of a list until an action is carried out.
import { element } from "./dom";

const KEY = "selection";
let last: HTMLInputElement | undefined; // where a range starts

export function trackSelection(): void {
  document.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    if (target instanceof HTMLInputElement && target.name === "id") select(target, event.shiftKey);
    if (target.closest("[data-select-page]")) selectPage();
    const kind = target.closest<HTMLElement>("[data-check]")?.dataset["check"];
    if (kind) for (const box of document.querySelectorAll<HTMLInputElement>(`[data-kind="${kind}"]`)) box.checked = true;
    if (target.closest("[data-select-none]")) store(new Set());
    const all = target.closest<HTMLElement>("[data-select-all]");
    if (all) void selectAll(all.dataset["selectAll"]!);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches("form.selectable")) return;
    const onPage = new Set(boxes().map((box) => box.value));
    const elsewhere = [...selected()].filter((id) => !onPage.has(id)).join(" ");
    form.querySelector("input[name=ids]")?.remove();
    form.append(element("input", { type: "hidden", name: "ids", value: elsewhere }));
    const isExport = new FormData(form, event.submitter).get("act") === "apply" && new FormData(form).get("command")?.toString().startsWith("export");
    if (!isExport) sessionStorage.removeItem(KEY);
  });
  for (const event of ["refreshed", "htmx:afterSwap"]) document.addEventListener(event, show);
  show();
}

function select(box: HTMLInputElement, isRange: boolean): void {
  const all = boxes(), ids = selected();
  const from = isRange && last?.isConnected ? all.indexOf(last) : -1, to = all.indexOf(box);
  const reached = from < 0 ? [box] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const other of reached) {
    if (box.checked) ids.add(other.value);
    else ids.delete(other.value);
  }
  last = box;
  store(ids);
}

function selectPage(): void {
  const ids = selected(), all = boxes();
  const isWhole = all.every((box) => ids.has(box.value));
  for (const box of all) {
    if (isWhole) ids.delete(box.value);
    else ids.add(box.value);
  }
  store(ids);
}

// Every note on all pages of the list.
async function selectAll(address: string): Promise<void> {
  const response = await fetch(address);
  if (response.ok) store(new Set(((await response.json()) as { ids: string[] }).ids));
}

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("form.selectable input[type=checkbox][name=id]")];
}

function selected(): Set<string> {
  return new Set(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as string[]);
}

function store(ids: Set<string>): void {
  sessionStorage.setItem(KEY, JSON.stringify([...ids]));
  show();
}

function show(): void {
  const ids = selected(), form = document.querySelector("form.selectable"), all = boxes();
  for (const box of all) box.checked = ids.has(box.value);
  form?.classList.toggle("has-selection", ids.size > 0);
  const elsewhere = ids.size - all.filter((box) => box.checked).length;
  const label = form?.querySelector("[data-selected]");
  if (label) label.textContent = elsewhere ? `${ids.size} selected, ${elsewhere} on other pages` : `${ids.size} selected`;
}
