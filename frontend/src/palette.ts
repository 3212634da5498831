// Ctrl K: pages, notes and acts by a few letters.
import { element, send } from "./dom";

interface Entry { kind: string; title: string; address: string; hint: string; fields?: [string, string][] | null }

const WAIT_MILLISECONDS = 90;
let palette: HTMLDialogElement | undefined;
let chosen = 0;
let asked = 0;
let entries: Entry[] = [];
let listed = ""; // what the entries were found for

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
    "aria-label": "Go to a page or a note, or do something", placeholder: "Go to a page or a note, or do something", autocomplete: "off",
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
      clearTimeout(timer);
      // Whoever types fast is ahead of the list, and means what was typed.
      void (listed === field.value ? Promise.resolve() : find(field.value)).then(() => {
        const entry = entries[chosen];
        if (entry && listed === field.value) follow(entry);
      });
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
  const found = ((await answer.json()) as { entries: Entry[] }).entries;
  entries = [...found.filter((entry) => entry.kind === "page" || entry.kind === "act"), ...aboutThisNote(query), ...found.filter((entry) => entry.kind !== "page" && entry.kind !== "act")];
  listed = query;
  palette!.querySelector("ul")!.replaceChildren(...entries.map(line));
  choose(0);
}

// What can be done with the note that is shown.
function aboutThisNote(query: string): Entry[] {
  const id = document.querySelector<HTMLElement>(".note-page[data-note]")?.dataset["note"];
  if (!id || !query) return [];
  const post = (title: string, act: string): Entry => ({ kind: "act", title, address: "/notes", hint: "", fields: [["act", act], ["id", id]] });
  const acts: Entry[] = [
    { kind: "act", title: "Edit this note", address: `/notes/${id}/edit`, hint: "e" },
    post("Pin this note", "pin"), post("Unpin this note", "unpin"), post("Delete this note", "delete"),
  ];
  return acts.filter((entry) => entry.title.toLowerCase().includes(query.toLowerCase()));
}

function follow(entry: Entry): void {
  const stays = entry.fields?.some(([name, value]) => name === "act" && value !== "delete") || entry.address !== "/notes";
  if (entry.fields) send(entry.address, [...entry.fields, ["back", stays ? location.pathname + location.search : "/notes"]]);
  else {
    document.querySelector<HTMLDialogElement>("dialog.palette")?.close(); // it may lead to another place of this page
    location.assign(entry.address);
  }
}

function line(entry: Entry, at: number): HTMLElement {
  const made = element(
    "li", { role: "option", id: `palette-${at}`, "aria-selected": "false" },
    element("span", { class: "entry-kind" }, entry.kind),
    element("span", { class: "entry-title" }, entry.title),
    element("span", { class: "entry-hint" }, entry.hint),
  );
  made.addEventListener("click", () => follow(entry));
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
