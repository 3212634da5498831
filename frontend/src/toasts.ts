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
    const strip = element("div", { id: "progress", class: "banner notice", role: "status" }, text, " ", element("progress", { "aria-label": text }));
    document.querySelector("#progress")?.remove();
    document.querySelector("#toasts")?.before(strip);
    window.addEventListener("pageshow", () => strip.remove(), { once: true }); // when one comes back to it
  });
}

export function settleToasts(): void {
  const url = new URL(location.href);
  if (url.searchParams.has("notice")) {
    url.searchParams.delete("notice");
    history.replaceState(history.state, "", url);
  }
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    setTimeout(() => toast.remove(), toast.querySelector("form, a") ? UNDO_MILLISECONDS : STAY_MILLISECONDS);
  }
}

export function tell(text: string, label: string, act: (event: Event) => void): void {
  const key = "data-told";
  document.querySelector(`[${key}]`)?.remove();
  const button = element("button", { type: "button", class: "link" }, label);
  button.addEventListener("click", act);
  document.querySelector("#toasts")?.append(
    element("div", { class: "toast", [key]: "" }, element("span", {}, text), button),
  );
}
