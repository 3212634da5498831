// Ctrl K: pages and notes by a few letters.
import { element } from "./dom";

interface Entry { kind: string; title: string; address: string; hint: string }

const WAIT_MILLISECONDS = 90;
let palette: HTMLDialogElement | undefined;
let chosen = 0;
let asked = 0;
let entries: Entry[] = [];

export function openPalette(): void {
  palette ??= build();
  if (palette.open) return;
  palette.showModal();
  const field = palette.querySelector("input")!;
  field.value = "";
  void find("");
}

function build(): HTMLDialogElement {
  const list = element("ul", { id: "palette-entries", role: "listbox", "aria-label": "Pages and notes" });
  const field = element("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-entries",
    "aria-label": "Go to a page or a note", placeholder: "Go to a page or a note", autocomplete: "off",
  });
  const made = element("dialog", { class: "palette", "aria-label": "Command palette" }, field, list);
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void find(field.value), WAIT_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const entry = entries[chosen];
      if (entry) location.assign(entry.address);
    }
  });
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  document.body.append(made);
  return made;
}

async function find(query: string): Promise<void> {
  const number = ++asked;
  const answer = await fetch(`/api/palette?q=${encodeURIComponent(query)}`);
  if (!answer.ok || number !== asked) return;
  entries = ((await answer.json()) as { entries: Entry[] }).entries;
  palette!.querySelector("ul")!.replaceChildren(...entries.map(line));
  choose(0);
}

function line(entry: Entry, at: number): HTMLElement {
  const made = element(
    "li", { role: "option", id: `palette-${at}`, "aria-selected": "false" },
    element("span", { class: "entry-kind" }, entry.kind),
    element("span", { class: "entry-title" }, entry.title),
    element("span", { class: "entry-hint" }, entry.hint),
  );
  made.addEventListener("click", () => location.assign(entry.address));
  return made;
}

function choose(at: number): void {
  chosen = Math.max(0, Math.min(entries.length - 1, at));
  palette!.querySelectorAll("li").forEach((item, number) => {
    item.setAttribute("aria-selected", String(number === chosen));
    if (number === chosen) item.scrollIntoView({ block: "nearest" });
  });
  palette!.querySelector("input")!.setAttribute("aria-activedescendant", `palette-${chosen}`);
}
