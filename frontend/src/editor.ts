// The editor and the merge view. Both write back to the form's text area, which is submitted.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView } from "@codemirror/merge";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Drafts } from "./drafts";
import { pickNotes } from "./picker";
import { submitByScript } from "./saving";
import { element } from "./dom";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650", color: "var(--text)" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: tags.monospace, color: "var(--episodic)" },
  { tag: [tags.processingInstruction, tags.meta, tags.quote, tags.contentSeparator], color: "var(--muted)" },
]);

const theme = EditorView.theme({
  ".cm-content": { fontFamily: "var(--mono)", padding: "12px 4px", caretColor: "var(--accent)" },
  ".cm-gutters": { background: "transparent", border: "0", color: "var(--muted)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft) !important" },
  ".cm-changedLine": { background: "var(--added) !important" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { background: "var(--removed) !important" },
  ".cm-changedText": { background: "var(--mark) !important" },
});

function basics(label: string): Extension[] {
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "leave-editor", spellcheck: "true" }),
    markdown(),
    syntaxHighlighting(colours),
    theme,
  ];
}

function editable(area: HTMLTextAreaElement): Extension[] {
  return [
    history(),
    highlightSelectionMatches(),
    keymap.of([
      // Escape, then Tab leaves the editor: the keyboard is never trapped.
      { key: "Escape", run: (view) => (view.contentDOM.blur(), true) },
      ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        area.value = update.state.doc.toString();
        area.form?.setAttribute("data-dirty", "");
        area.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }),
  ];
}

function edit(area: HTMLTextAreaElement): EditorView {
  const view = new EditorView({
    doc: area.value,
    extensions: [lineNumbers(), placeholder(area.placeholder), ...basics("Text, in markdown"), ...editable(area)],
  });
  area.hidden = true;
  area.after(view.dom);
  return view;
}

function merge(form: HTMLFormElement): EditorView {
  const theirs = form.querySelector<HTMLTextAreaElement>("#theirs")!;
  const mine = form.querySelector<HTMLTextAreaElement>("#body")!;
  const place = form.querySelector<HTMLElement>("[data-sides]")!;
  const view = new MergeView({
    a: { doc: theirs.value, extensions: [...basics(place.dataset["left"] ?? "On disk now"), EditorState.readOnly.of(true)] },
    b: { doc: mine.value, extensions: [...basics(place.dataset["right"] ?? "Yours"), ...editable(mine)] },
    revertControls: "a-to-b",
    collapseUnchanged: { margin: 3, minSize: 8 },
    renderRevertControl: () => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "→";
      button.setAttribute("aria-label", "Use this part from the left");
      return button;
    },
  });
  theirs.hidden = mine.hidden = true;
  place.append(view.dom);
  for (const button of form.querySelectorAll<HTMLButtonElement>("[data-take]")) {
    button.addEventListener("click", () => {
      const field = form.querySelector<HTMLInputElement>(`input[name="${button.dataset["take"] ?? ""}"]`);
      if (field) field.value = button.dataset["value"] ?? "";
      const body = button.dataset["takeBody"];
      if (body !== undefined) view.b.dispatch({ changes: { from: 0, to: view.b.state.doc.length, insert: body } });
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  return view.b;
}

function enablePreview(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>("[data-preview]");
  const preview = form.querySelector<HTMLElement>("#preview");
  button?.addEventListener("click", async () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    if (on && preview) {
      const body = new URLSearchParams({ body: form.querySelector<HTMLTextAreaElement>("#body")!.value });
      const response = await fetch("/preview", { method: "POST", body });
      // The server has sanitized it: no scripts, none of the note's own markup.
      preview.innerHTML = await response.text();
    }
    button.setAttribute("aria-pressed", String(on));
    if (preview) preview.hidden = !on;
    const editor = form.querySelector<HTMLElement>(".cm-editor");
    if (editor) editor.hidden = on;
  });
}

function protectText(form: HTMLFormElement, view: EditorView): void {
  const buttons = form.querySelector(".edit-acts");
  const keys = element("p", { id: "leave-editor", class: "hint" }, "Tab indents. To leave the editor, press Esc, then Tab.");
  buttons?.before(keys);
  form.addEventListener("input", () => form.setAttribute("data-dirty", ""));
  const drafts = new Drafts(form, (name, value) => setField(form, view, name, value));
  if (form.hasAttribute("data-refused")) void drafts.takeOver();
  submitByScript(form, drafts);
  for (const link of form.querySelectorAll<HTMLElement>("[data-leave]")) {
    link.addEventListener("click", () => {
      drafts.keep(); // offered when the form is opened again
      if (link.dataset["leave"] === "discard") drafts.drop();
      form.removeAttribute("data-dirty");
    });
  }
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      form.requestSubmit(form.querySelector<HTMLButtonElement>("button.primary[name], .edit-acts button.primary"));
    }
  });
  window.addEventListener("beforeunload", (event) => {
    if (form.hasAttribute("data-dirty")) event.preventDefault();
  });
}

function setField(form: HTMLFormElement, view: EditorView, name: string, value: string): void {
  const field = form.elements.namedItem(name);
  if (name === "body") view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  const view = edit(form.querySelector<HTMLTextAreaElement>("[data-markdown]")!);
  enablePreview(form);
  for (const field of form.querySelectorAll<HTMLInputElement>("input[data-titles]")) pickNotes(field);
  protectText(form, view);
}
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-merge]")) protectText(form, merge(form));
