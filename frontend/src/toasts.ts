// Notices of what was done: the address loses them, those without an undo go by themselves.
import { element } from "./dom";

const STAY_MILLISECONDS = 5000;
const UNDO_MILLISECONDS = 20000;

export function settleToasts(): void {
  const url = new URL(location.href);
  if (url.searchParams.has("notice")) {
    url.searchParams.delete("notice");
    history.replaceState(history.state, "", url);
  }
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    setTimeout(() => toast.remove(), toast.querySelector("form") ? UNDO_MILLISECONDS : STAY_MILLISECONDS);
  }
}

export function tell(text: string, label: string, act: () => void): void {
  const key = "data-told";
  document.querySelector(`[${key}]`)?.remove();
  const button = element("button", { type: "button", class: "link" }, label);
  button.addEventListener("click", act);
  document.querySelector("#toasts")?.append(
    element("div", { class: "toast", [key]: "" }, element("span", {}, text), button),
  );
}
