// Picks the notes that a note replaces: searched by words, shown by title, submitted as ids.
import { element } from "./dom";

interface PaletteEntry { kind: string; title: string; address: string; hint: string }

const WAIT_MILLISECONDS = 120;

export function pickNotes(field: HTMLInputElement): void {
  const titles = JSON.parse(field.dataset["titles"] ?? "{}") as Record<string, string>;
  const picked = element("ul", { class: "picked", "aria-label": "Notes that it replaces" });
  const list = element("ul", { class: "picker-list", role: "listbox", id: "picker-list", "aria-label": "Notes", hidden: "" });
  const search = element("input", {
    type: "text", role: "combobox", "aria-label": "Replaces", "aria-controls": "picker-list", "aria-expanded": "false",
    placeholder: "search for a note", autocomplete: "off",
  });
  const label = field.closest("label")!;
  let timer = 0, matches: PaletteEntry[] = [], at = 0;

  const ids = (): string[] => field.value.split(/\s+/).filter(Boolean);
  const setIds = (next: string[]): void => {
    field.value = [...new Set(next)].join(" ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const draw = (): void => picked.replaceChildren(...ids().map((id) => {
    const remove = element("button", { type: "button", "aria-label": `Do not replace ${titles[id] ?? id}` }, "×");
    remove.addEventListener("click", () => setIds(ids().filter((other) => other !== id)));
    return element("li", { title: id }, element("span", {}, titles[id] ?? id), remove);
  }));
  const show = (): void => {
    list.replaceChildren(...matches.map((note, number) => {
      const line = element("li", { role: "option", id: `picker-${number}`, "aria-selected": String(number === at) },
        element("span", {}, note.title), element("span", { class: "muted" }, note.hint));
      line.addEventListener("mousedown", (event) => (event.preventDefault(), pick(note)));
      return line;
    }));
    list.hidden = matches.length === 0;
    search.setAttribute("aria-expanded", String(matches.length > 0));
    if (matches.length) search.setAttribute("aria-activedescendant", `picker-${at}`);
    else search.removeAttribute("aria-activedescendant");
  };
  const pick = (note: PaletteEntry): void => {
    const id = note.address.split("/").pop()!;
    titles[id] = note.title;
    search.value = "";
    matches = [];
    show();
    setIds([...ids(), id]);
  };
  const findNotes = async (): Promise<void> => {
    const query = search.value.trim();
    const response = query ? await fetch(`/api/palette?q=${encodeURIComponent(query)}`) : undefined;
    const entries = response?.ok ? ((await response.json()) as { entries: PaletteEntry[] }).entries : [];
    const own = field.form?.dataset["note"];
    matches = entries.filter((entry) => entry.address.startsWith("/notes/") && !entry.address.endsWith(`/${own ?? " "}`));
    at = 0;
    show();
  };

  field.addEventListener("input", draw);
  search.addEventListener("input", (event) => {
    event.stopPropagation(); // a search does not change the note
    clearTimeout(timer);
    timer = window.setTimeout(() => void findNotes(), WAIT_MILLISECONDS);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.max(0, Math.min(matches.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      show();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const note = matches[at];
      if (note) pick(note);
    } else if (event.key === "Escape" && matches.length) {
      event.stopPropagation();
      matches = [];
      show();
    }
  });
  // An id may also be typed or pasted; the server checks it.
  search.addEventListener("blur", () => {
    matches = [];
    show();
    if (search.value.trim()) setIds([...ids(), ...search.value.trim().split(/\s+/)]);
    search.value = "";
  });
  field.type = "hidden";
  label.after(element("div", { class: "picker" }, search, list, picked));
  draw();
}
