// The command palette (Ctrl K): pages, actions and notes.
import { element, submitForm } from "./dom";

interface PaletteEntry { kind: string; title: string; address: string; hint: string; fields?: [string, string][] | null }

const WAIT_MILLISECONDS = 90;
let palette: HTMLDialogElement | undefined;
let chosen = 0;
let requests = 0;
let entries: PaletteEntry[] = [];
let listedQuery = ""; // the query that the entries match

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
    "aria-label": "Go to a page or a note, or run a command", placeholder: "Go to a page or a note, or run a command", autocomplete: "off",
  });
  const dialog = element("dialog", { class: "palette", "aria-label": "Command palette" }, field, list);
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
      clearTimeout(timer);
      // Fast typing gets ahead of the list; what was typed counts.
      void (listedQuery === field.value ? Promise.resolve() : find(field.value)).then(() => {
        const entry = entries[chosen];
        if (entry && listedQuery === field.value) follow(entry);
      });
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

async function find(query: string): Promise<void> {
  const number = ++requests;
  const response = await fetch(`/api/palette?q=${encodeURIComponent(query)}`);
  if (!response.ok || number !== requests) return;
  const matches = ((await response.json()) as { entries: PaletteEntry[] }).entries;
  entries = [...matches.filter((entry) => !isNote(entry)), ...actionsOnThisNote(query), ...matches.filter(isNote)];
  listedQuery = query;
  palette!.querySelector("ul")!.replaceChildren(...entries.map(line));
  choose(0);
}

function isNote(entry: PaletteEntry): boolean {
  return entry.kind !== "page" && entry.kind !== "action";
}

// The actions on the note that is shown.
function actionsOnThisNote(query: string): PaletteEntry[] {
  const id = document.querySelector<HTMLElement>(".note-page[data-note]")?.dataset["note"];
  if (!id || !query) return [];
  const post = (title: string, act: string): PaletteEntry => ({ kind: "action", title, address: "/notes", hint: "", fields: [["act", act], ["id", id]] });
  const actions: PaletteEntry[] = [
    { kind: "action", title: "Edit this note", address: `/notes/${id}/edit`, hint: "e" },
    post("Pin this note", "pin"), post("Unpin this note", "unpin"), post("Delete this note", "delete"),
  ];
  return actions.filter((entry) => entry.title.toLowerCase().includes(query.toLowerCase()));
}

function follow(entry: PaletteEntry): void {
  const stays = entry.fields?.some(([name, value]) => name === "act" && value !== "delete") || entry.address !== "/notes";
  if (entry.fields) submitForm(entry.address, [...entry.fields, ["back", stays ? location.pathname + location.search : "/notes"]]);
  else {
    document.querySelector<HTMLDialogElement>("dialog.palette")?.close(); // the address may be on this page
    location.assign(entry.address);
  }
}

function line(entry: PaletteEntry, at: number): HTMLElement {
  const item = element(
    "li", { role: "option", id: `palette-${at}`, "aria-selected": "false" },
    element("span", { class: "entry-kind" }, entry.kind),
    element("span", { class: "entry-title" }, entry.title),
    element("span", { class: "entry-hint" }, entry.hint),
  );
  item.addEventListener("click", () => follow(entry));
  return item;
}

function choose(at: number): void {
  chosen = Math.max(0, Math.min(entries.length - 1, at));
  palette!.querySelectorAll("li").forEach((item, number) => {
    item.setAttribute("aria-selected", String(number === chosen));
    if (number === chosen) item.scrollIntoView({ block: "nearest" });
  });
  palette!.querySelector("input")!.setAttribute("aria-activedescendant", `palette-${chosen}`);
}
