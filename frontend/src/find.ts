// The search at the top answers while one types, on every page; arrow keys lead from the field to
// the results and back.
import { element } from "./dom";

interface Found { title: string; address: string; hint: string }

const WAIT_MILLISECONDS = 150;

export function searchEverywhere(): void {
  const field = document.querySelector<HTMLInputElement>("#find");
  if (!field) return;
  const inPlace = document.querySelector("#results") !== null; // the list of notes answers itself
  let timer = 0, asked = 0, panel: HTMLElement | undefined;
  const close = (): void => (panel?.remove(), (panel = undefined));
  const lines = (): HTMLElement[] => [...(panel ?? document).querySelectorAll<HTMLElement>(panel ? "a" : "#results [data-row] a.row-title")];

  const look = async (): Promise<void> => {
    const words = field.value.trim(), number = ++asked;
    if (!words) return close();
    const answer = await fetch(`/api/palette?q=${encodeURIComponent(words)}`).catch(() => undefined);
    if (!answer?.ok || number !== asked || document.activeElement !== field) return;
    const notes = ((await answer.json()) as { entries: Found[] }).entries.filter((each) => each.address.startsWith("/notes/"));
    close();
    panel = element("div", { class: "find-results" }, ...notes.map((each) => element("a", { href: each.address }, element("span", {}, each.title), element("span", { class: "muted" }, each.hint))),
      element("a", { href: `/notes?q=${encodeURIComponent(words)}` }, notes.length ? "All matches" : "Nothing found; look among all notes"));
    field.form!.append(panel);
  };

  if (!inPlace) {
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void look(), WAIT_MILLISECONDS);
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
    const all = lines(), here = document.activeElement as HTMLElement;
    const at = here === field ? -1 : all.indexOf(here);
    if (here !== field && at < 0) return;
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    if (next < -1 || next >= all.length) return;
    event.preventDefault();
    (next < 0 ? field : all[next]!).focus();
  });
}
