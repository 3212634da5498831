// Keyboard shortcuts. j and k move through lists; g and a letter jump to a page.
import { isDialogOpen, isTyping, submitForm } from "./dom";
import { openHelp } from "./help";
import { openPalette } from "./palette";

const JUMP_MILLISECONDS = 1200;
let jumpUntil = 0;

export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.key === "Escape" && isTyping(event.target)) (event.target as HTMLElement).blur();
    if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !isTyping(event.target) && !isDialogOpen()) {
      event.preventDefault();
      undoLatest();
      return;
    }
    const isOff = document.documentElement.dataset["keys"] === "off";
    if (isOff || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
    if (act(event.key)) event.preventDefault();
  });
}

function act(key: string): boolean {
  if (Date.now() < jumpUntil) {
    jumpUntil = 0;
    return jump(key);
  }
  const control = document.querySelector<HTMLElement>(`[data-hotkey="${CSS.escape(key)}"]`);
  if (control) {
    control.click();
    return true;
  }
  switch (key) {
    case "g": jumpUntil = Date.now() + JUMP_MILLISECONDS; return true;
    case "/": focus("#find"); return true;
    case "?": openHelp(); return true;
    case "j": return moveBy(1);
    case "k": return moveBy(-1);
    case "o": return follow(currentRow()?.querySelector("a"));
    case "x": return toggle();
    case "e": return edit();
    case "c": location.assign("/new"); return true;
    default: return false;
  }
}

function undoLatest(): void {
  submitForm("/undo", [["latest", "1"], ["back", location.pathname + location.search]]);
}

function jump(key: string): boolean {
  return follow(document.querySelector<HTMLAnchorElement>(`.side a[data-key="${CSS.escape(key)}"]`));
}

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-row]")];
}

function currentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-row]") ?? null;
}

function moveBy(offset: number): boolean {
  const all = rows();
  const row = currentRow();
  const at = row ? all.indexOf(row) + offset : offset > 0 ? 0 : all.length - 1;
  const next = all[Math.max(0, Math.min(all.length - 1, at))];
  next?.querySelector("a")?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

function toggle(): boolean {
  const box = currentRow()?.querySelector<HTMLInputElement>("input[type=checkbox]");
  box?.click();
  return box != null;
}

function edit(): boolean {
  const row = currentRow()?.querySelector<HTMLAnchorElement>("a.row-title");
  if (row) {
    location.assign(`${row.pathname}/edit`);
    return true;
  }
  return follow(document.querySelector<HTMLAnchorElement>("a[data-edit]"));
}

function follow(link: HTMLAnchorElement | null | undefined): boolean {
  if (!link) return false;
  location.assign(link.href);
  return true;
}

function focus(selector: string): void {
  const field = document.querySelector<HTMLInputElement>(selector);
  field?.focus();
  field?.select();
}
