// Imports files that are dropped on a page or chosen: exports of other programs, and markdown.
import { element } from "./dom";
import { errorIn, showToast } from "./toasts";

const MOST_BYTES = 3_500_000; // the server accepts 4 MiB

export function acceptDroppedFiles(): void {
  let veil: HTMLElement | undefined;
  const hide = (): void => (veil?.remove(), (veil = undefined));
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    veil ??= document.body.appendChild(element("div", { class: "drop-veil" }, "Drop to import. New notes will be marked to review."));
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) hide();
  });
  document.addEventListener("drop", (event) => {
    hide();
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void importFiles([...event.dataTransfer.files]);
  });
  for (const field of document.querySelectorAll<HTMLInputElement>("input[data-import]")) {
    field.addEventListener("change", () => void importFiles([...(field.files ?? [])]));
  }
}

async function importFiles(files: File[]): Promise<void> {
  if (document.querySelector("form[data-dirty]")) return showToast("Save or discard your changes first, then drop the files again.");
  if (files.reduce((sum, file) => sum + file.size, 0) > MOST_BYTES) {
    return showToast("These files are too large to import here. In a terminal: anamnesis import PATH");
  }
  const texts = Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await file.text()] as const)));
  const response = await fetch("/import", {
    method: "POST", body: JSON.stringify({ files: texts }), headers: { "x-sent-by": "script", "content-type": "application/json" },
  }).catch(() => undefined);
  if (response?.ok) return location.assign(((await response.json()) as { go: string }).go);
  showToast((response && errorIn(await response.text())) || "Not imported: the dashboard cannot be reached.");
}
