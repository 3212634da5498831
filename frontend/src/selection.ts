// Which notes are selected: kept while one pages through a list, until something is done with them.
import { element } from "./dom";

const KEY = "selection";
let last: HTMLInputElement | undefined; // where a range starts

export function selectNotes(): void {
  document.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    if (target instanceof HTMLInputElement && target.name === "id") choose(target, event.shiftKey);
    if (target.closest("[data-select-page]")) choosePage();
    if (target.closest("[data-select-none]")) keep(new Set());
    const all = target.closest<HTMLElement>("[data-select-all]");
    if (all) void chooseAll(all.dataset["selectAll"]!);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches("form.selectable")) return;
    const here = new Set(boxes().map((box) => box.value));
    const elsewhere = [...chosen()].filter((id) => !here.has(id)).join(" ");
    form.querySelector("input[name=ids]")?.remove();
    form.append(element("input", { type: "hidden", name: "ids", value: elsewhere }));
    if (!event.submitter?.hasAttribute("data-keeps-selection")) sessionStorage.removeItem(KEY);
  });
  for (const event of ["freshened", "htmx:afterSwap"]) document.addEventListener(event, show);
  show();
}

function choose(box: HTMLInputElement, range: boolean): void {
  const all = boxes(), ids = chosen();
  const from = range && last?.isConnected ? all.indexOf(last) : -1, to = all.indexOf(box);
  const reached = from < 0 ? [box] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const each of reached) {
    if (box.checked) ids.add(each.value);
    else ids.delete(each.value);
  }
  last = box;
  keep(ids);
}

function choosePage(): void {
  const ids = chosen(), all = boxes();
  const whole = all.every((box) => ids.has(box.value));
  for (const box of all) {
    if (whole) ids.delete(box.value);
    else ids.add(box.value);
  }
  keep(ids);
}

// Every note that the list would show on any of its pages.
async function chooseAll(address: string): Promise<void> {
  const answer = await fetch(address);
  if (answer.ok) keep(new Set(((await answer.json()) as { ids: string[] }).ids));
}

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("form.selectable input[type=checkbox][name=id]")];
}

function chosen(): Set<string> {
  return new Set(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as string[]);
}

function keep(ids: Set<string>): void {
  sessionStorage.setItem(KEY, JSON.stringify([...ids]));
  show();
}

function show(): void {
  const ids = chosen(), form = document.querySelector("form.selectable"), all = boxes();
  for (const box of all) box.checked = ids.has(box.value);
  form?.classList.toggle("has-selection", ids.size > 0);
  const elsewhere = ids.size - all.filter((box) => box.checked).length;
  const label = form?.querySelector("[data-selected]");
  if (label) label.textContent = elsewhere ? `${ids.size} selected, ${elsewhere} on other pages` : `${ids.size} selected`;
}
