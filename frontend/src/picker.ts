// The notes that a note replaces: found by a few letters, shown by their titles, sent as ids.
import { element } from "./dom";

interface Found { kind: string; title: string; address: string; hint: string }

const WAIT_MILLISECONDS = 120;

export function pickNotes(field: HTMLInputElement): void {
  const titles = JSON.parse(field.dataset["titles"] ?? "{}") as Record<string, string>;
  const chosen = element("ul", { class: "picked", "aria-label": "Notes that it replaces" });
  const list = element("ul", { class: "picker-list", role: "listbox", id: "picker-list", "aria-label": "Notes", hidden: "" });
  const ask = element("input", {
    type: "text", role: "combobox", "aria-label": "Replaces", "aria-controls": "picker-list", "aria-expanded": "false",
    placeholder: "find a note by its words", autocomplete: "off",
  });
  const label = field.closest("label")!;
  let timer = 0, found: Found[] = [], at = 0;

  const ids = (): string[] => field.value.split(/\s+/).filter(Boolean);
  const set = (wanted: string[]): void => {
    field.value = [...new Set(wanted)].join(" ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const draw = (): void => chosen.replaceChildren(...ids().map((id) => {
    const drop = element("button", { type: "button", "aria-label": `Do not replace ${titles[id] ?? id}` }, "×");
    drop.addEventListener("click", () => set(ids().filter((other) => other !== id)));
    return element("li", { title: id }, element("span", {}, titles[id] ?? id), drop);
  }));
  const show = (): void => {
    list.replaceChildren(...found.map((each, number) => {
      const line = element("li", { role: "option", id: `picker-${number}`, "aria-selected": String(number === at) },
        element("span", {}, each.title), element("span", { class: "muted" }, each.hint));
      line.addEventListener("mousedown", (event) => (event.preventDefault(), take(each)));
      return line;
    }));
    list.hidden = found.length === 0;
    ask.setAttribute("aria-expanded", String(found.length > 0));
    if (found.length) ask.setAttribute("aria-activedescendant", `picker-${at}`);
    else ask.removeAttribute("aria-activedescendant");
  };
  const take = (each: Found): void => {
    const id = each.address.split("/").pop()!;
    titles[id] = each.title;
    ask.value = "";
    found = [];
    show();
    set([...ids(), id]);
  };
  const look = async (): Promise<void> => {
    const words = ask.value.trim();
    const answer = words ? await fetch(`/api/palette?q=${encodeURIComponent(words)}`) : undefined;
    const entries = answer?.ok ? ((await answer.json()) as { entries: Found[] }).entries : [];
    const own = field.form?.dataset["note"];
    found = entries.filter((each) => each.address.startsWith("/notes/") && !each.address.endsWith(`/${own ?? " "}`));
    at = 0;
    show();
  };

  field.addEventListener("input", draw);
  ask.addEventListener("input", (event) => {
    event.stopPropagation(); // what is only looked for is no change of the note
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(), WAIT_MILLISECONDS);
  });
  ask.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.max(0, Math.min(found.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      show();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const each = found[at];
      if (each) take(each);
    } else if (event.key === "Escape" && found.length) {
      event.stopPropagation();
      found = [];
      show();
    }
  });
  // An id that was typed or pasted counts as well, and the server says if it is none.
  ask.addEventListener("blur", () => {
    found = [];
    show();
    if (ask.value.trim()) set([...ids(), ...ask.value.trim().split(/\s+/)]);
    ask.value = "";
  });
  field.type = "hidden";
  label.after(element("div", { class: "picker" }, ask, list, chosen));
  draw();
}
