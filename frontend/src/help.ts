// The list of keyboard shortcuts, opened with "?".
import { element } from "./dom";

const KEYS: [string, string][] = [
  ["/", "search"], ["Ctrl K", "go to a page or a note"], ["j  k", "next and previous note"],
  ["o", "open"], ["e", "edit"], ["x", "select"], ["c", "write a new note"],
  ["y  r  s", "in a review: keep, reject, skip"],
  ["Ctrl S", "save"], ["Ctrl Z", "undo the latest change"], ["Esc", "leave a field"], ["?", "show these keys"],
];
let help: HTMLDialogElement | undefined;

export function openHelp(): void {
  help ??= build();
  if (!help.open) help.showModal();
}

function build(): HTMLDialogElement {
  const jumps = [...document.querySelectorAll<HTMLAnchorElement>(".side a[data-key]")].map(
    (link): [string, string] => [`g ${link.dataset["key"] ?? ""}`, link.querySelector("span")?.textContent ?? ""],
  );
  const list = element("dl", {}, ...[...KEYS, ...jumps].flatMap(([key, meaning]) => [
    element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning),
  ]));
  const close = element("button", { type: "button" }, "Close");
  const dialog = element("dialog", { class: "help", "aria-label": "Keys" }, element("h2", {}, "Keys"), list, close);
  close.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  return dialog;
}
