// Notices of what was done: the address loses them, those without an undo go by themselves.
import { element } from "./dom";

const STAY_MILLISECONDS = 5000;
const UNDO_MILLISECONDS = 20000;

// A page that takes its time says so, from the click until it comes.
export function showProgress(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a[data-progress]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const text = link.dataset["progress"]!;
    const strip = element("div", { id: "progress", class: "banner notice" }, text, " ", element("progress", { "aria-label": text }));
    document.querySelector("#progress")?.remove();
    document.querySelector("#toasts")?.prepend(strip);
    window.addEventListener("pageshow", () => strip.remove(), { once: true }); // when one comes back to it
  });
}

export function settleToasts(): void {
  const shown = document.querySelector<HTMLElement>("#toasts");
  // What else sticks to the top of the window has to know how far down that is.
  const tell = (): void => document.documentElement.style.setProperty("--notices", `${shown!.offsetHeight}px`);
  if (shown) new ResizeObserver(tell).observe(shown);
  const url = new URL(location.href);
  if (url.searchParams.has("notice")) {
    url.searchParams.delete("notice");
    history.replaceState(history.state, "", url);
  }
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    setTimeout(() => toast.remove(), toast.querySelector("form, a") ? UNDO_MILLISECONDS : STAY_MILLISECONDS);
  }
}

// A part of a page that was asked for and refused: without this, nothing would happen at all.
export function tellRefusals(): void {
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail;
    if (xhr.status === 401) document.dispatchEvent(new CustomEvent("connection", { detail: "ended" }));
    else tell(reasonIn(xhr.responseText) || `The dashboard refused this (${xhr.status}).`);
  });
  document.addEventListener("htmx:sendError", () => document.dispatchEvent(new CustomEvent("connection", { detail: "away" })));
}

// What an error page says, and what to do about it.
export function reasonIn(text: string): string {
  const heading = new DOMParser().parseFromString(text, "text/html").querySelector("main h1");
  const hint = heading?.nextElementSibling;
  return [heading, hint?.querySelector("a") ? null : hint].map((each) => each?.textContent?.trim()).filter(Boolean).join(" ");
}

export function tell(text: string, label = "Close", act?: (event: Event) => void): void {
  const key = "data-told";
  document.querySelector(`[${key}]`)?.remove();
  const button = element("button", { type: "button", class: "link" }, label);
  const toast = element("div", { class: "toast", [key]: "" }, element("span", {}, text), button);
  button.addEventListener("click", act ?? (() => toast.remove()));
  document.querySelector("#toasts")?.append(toast);
}
