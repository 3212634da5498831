// Builds elements without parsing markup: text stays text.
import { pauseRequests } from "./leaving";

type Attributes = Record<string, string>;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) &&
    !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}

export function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

// Submits a form as if a button on the page had been pressed.
export function submitForm(address: string, fields: [string, string][]): void {
  const form = element("form", { method: "post", action: address, hidden: "" });
  for (const [name, value] of fields) form.append(element("input", { type: "hidden", name, value }));
  document.body.append(form);
  pauseRequests();
  form.submit();
}
