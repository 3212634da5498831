// Building elements without a way to get markup in: text is only ever text.
type Attributes = Record<string, string>;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) &&
    !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}

export function dialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

// Sends a form as if a button of the page had been pressed.
export function send(address: string, fields: [string, string][]): void {
  const form = element("form", { method: "post", action: address, hidden: "" });
  for (const [name, value] of fields) form.append(element("input", { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
