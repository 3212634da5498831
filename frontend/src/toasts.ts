// Notices of what was done: removed from the address, and hidden after a while.
import { element } from "./dom";

const STAY_MILLISECONDS = 5000;
const UNDO_MILLISECONDS = 20000;

// Shows a progress bar from the click on a slow link until the page loads.
export function showProgress(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a[data-progress]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const text = link.dataset["progress"]!;
    const strip = element("div", { id: "progress", class: "banner notice" }, text, " ", element("progress", { "aria-label": text }));
    document.querySelector("#progress")?.remove();
    document.querySelector("#toasts")?.prepend(strip);
    window.addEventListener("pageshow", () => strip.remove(), { once: true }); // when the user comes back
  });
}

export function startToasts(): void {
  const toasts = document.querySelector<HTMLElement>("#toasts");
  // Other sticky elements need to know the height of the notices.
  const publishHeight = (): void => document.documentElement.style.setProperty("--notices", `${toasts!.offsetHeight}px`);
  if (toasts) new ResizeObserver(publishHeight).observe(toasts);
  const url = new URL(location.href);
  if (url.searchParams.has("notice")) {
    url.searchParams.delete("notice");
    history.replaceState(history.state, "", url);
  }
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    setTimeout(() => toast.remove(), toast.querySelector("form, a") ? UNDO_MILLISECONDS : STAY_MILLISECONDS);
  }
}

// Reports failed htmx requests, which would otherwise go unnoticed.
export function reportFailedRequests(): void {
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail;
    if (xhr.status === 401) document.dispatchEvent(new CustomEvent("connection", { detail: "ended" }));
    else showToast(errorIn(xhr.responseText) || `The request failed (${xhr.status}).`);
  });
  document.addEventListener("htmx:sendError", () => document.dispatchEvent(new CustomEvent("connection", { detail: "away" })));
}

// The message and the hint of an error page.
export function errorIn(text: string): string {
  const heading = new DOMParser().parseFromString(text, "text/html").querySelector("main h1");
  const hint = heading?.nextElementSibling;
  return [heading, hint?.querySelector("a") ? null : hint].map((node) => node?.textContent?.trim()).filter(Boolean).join(" ");
}

export function showToast(text: string, label = "Close", act?: (event: Event) => void): void {
  const marker = "data-script-toast";
  document.querySelector(`[${marker}]`)?.remove();
  const button = element("button", { type: "button", class: "link" }, label);
  const toast = element("div", { class: "toast", [marker]: "" }, element("span", {}, text), button);
  button.addEventListener("click", act ?? (() => toast.remove()));
  document.querySelector("#toasts")?.append(toast);
}
