// Files that are dropped on a page, or chosen, are imported: exports of programs and markdown.
import { element } from "./dom";
import { reasonIn, tell } from "./toasts";

const MOST_BYTES = 3_500_000; // the server takes 4 MiB

export function importDropped(): void {
  let veil: HTMLElement | undefined;
  const hide = (): void => (veil?.remove(), (veil = undefined));
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    veil ??= document.body.appendChild(element("div", { class: "drop-veil" }, "Drop to import. New notes are to review."));
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) hide();
  });
  document.addEventListener("drop", (event) => {
    hide();
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void send([...event.dataTransfer.files]);
  });
  for (const field of document.querySelectorAll<HTMLInputElement>("input[data-import]")) {
    field.addEventListener("change", () => void send([...(field.files ?? [])]));
  }
}

async function send(files: File[]): Promise<void> {
  if (document.querySelector("form[data-dirty]")) return tell("Save or discard what you are writing first; then drop again.");
  if (files.reduce((sum, file) => sum + file.size, 0) > MOST_BYTES) {
    return tell("These files are too large for the browser. In a terminal: anamnesis import PATH");
  }
  const texts = Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await file.text()] as const)));
  const answer = await fetch("/import", {
    method: "POST", body: JSON.stringify({ files: texts }), headers: { "x-sent-by": "script", "content-type": "application/json" },
  }).catch(() => undefined);
  if (answer?.ok) return location.assign(((await answer.json()) as { go: string }).go);
  tell((answer && reasonIn(await answer.text())) || "Not imported: the dashboard cannot be reached.");
}
