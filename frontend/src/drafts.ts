// Unsaved text is kept in this browser, per note, version and page, until it is saved or discarded.
// It survives a crash, a closed tab, an ended session and a server that is gone.
import { element } from "./dom";

interface Draft { at: number; fields: Record<string, string> }

const PREFIX = "draft ";
const WRITE_MILLISECONDS = 250;
const KEPT_MILLISECONDS = 60 * 86_400_000;

export class Drafts {
  private readonly subject: string; // the id of the note, or "new"
  private key: string;
  private readonly initial: string;
  private timer = 0;

  constructor(private readonly form: HTMLFormElement, private readonly setField: (name: string, value: string) => void) {
    this.subject = form.dataset["draft"] ?? "new";
    this.key = this.newKey();
    this.initial = JSON.stringify(this.fields());
    for (const event of ["input", "change"]) form.addEventListener(event, () => this.keepSoon());
    window.addEventListener("pagehide", () => this.keep());
    this.offer();
  }

  keepSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), WRITE_MILLISECONDS);
  }

  keep(): void {
    clearTimeout(this.timer);
    if (!this.form.hasAttribute("data-dirty")) return;
    const fields = this.fields();
    try {
      if (JSON.stringify(fields) === this.initial && !this.form.hasAttribute("data-refused")) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, JSON.stringify({ at: Date.now(), fields } satisfies Draft));
    } catch {
      // Without storage, the browser still asks before the page is left.
    }
  }

  // Whether the form differs from what was submitted.
  differFrom(submitted: URLSearchParams): boolean {
    return Object.entries(this.fields()).some(([name, value]) => submitted.get(name) !== value);
  }

  // Removes this draft once it is saved or discarded; drafts of other tabs stay.
  drop(): void {
    clearTimeout(this.timer);
    localStorage.removeItem(this.key);
  }

  // The server returned the page with text that is not saved: this draft keeps it now.
  takeOver(): void {
    this.keep();
    const { title, body } = this.fields();
    for (const [key, { fields }] of this.stored()) {
      if (key !== this.key && fields["title"] === title && fields["body"] === body) localStorage.removeItem(key);
    }
  }

  private fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(this.form)) if (typeof value === "string") fields[name] = value;
    return fields;
  }

  // Two tabs may edit the same version of a note, each with its own draft.
  private newKey(): string {
    return `${PREFIX}${this.subject} ${this.form.dataset["hash"] ?? ""} ${Math.random().toString(36).slice(2)}`;
  }

  private offer(): void {
    const latest = this.stored().find(([key, draft]) => key !== this.key && differs(draft.fields, this.fields()));
    if (!latest) return;
    const [key, draft] = latest;
    const staleness = draft.fields["hash"] !== this.fields()["hash"] ? " The note has changed since; saving will show both versions." : "";
    const restore = element("button", { type: "button", class: "button primary" }, "Restore");
    const discard = element("button", { type: "button", class: "button" }, "Discard");
    const when = new Date(draft.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const banner = element(
      "div", { class: "banner notice draft-offer", role: "status" },
      element("span", {}, `Text from ${when} was not saved.${staleness}`), restore, discard,
    );
    restore.addEventListener("click", () => {
      this.keep();
      this.key = this.newKey(); // the current text stays a draft of its own
      for (const [name, value] of Object.entries(draft.fields)) this.setField(name, value);
      this.form.setAttribute("data-dirty", "");
      this.keep();
      if (localStorage.getItem(this.key)) localStorage.removeItem(key);
      banner.remove();
      this.offer();
    });
    discard.addEventListener("click", () => {
      localStorage.removeItem(key);
      banner.remove();
      this.offer();
    });
    this.form.querySelector("[data-offers]")?.prepend(banner);
  }

  private stored(): [string, Draft][] {
    const drafts: [string, Draft][] = [];
    for (const key of allKeys()) {
      if (!key.startsWith(`${PREFIX}${this.subject} `)) continue;
      try {
        drafts.push([key, JSON.parse(localStorage.getItem(key) ?? "") as Draft]);
      } catch {
        localStorage.removeItem(key);
      }
    }
    return drafts.sort(([, a], [, b]) => b.at - a.at);
  }
}

// Old drafts are not kept for ever.
export function forgetOldDrafts(): void {
  for (const key of allKeys()) {
    if (!key.startsWith(PREFIX)) continue;
    const at = Number(/"at":(\d+)/.exec(localStorage.getItem(key) ?? "")?.[1] ?? 0);
    if (Date.now() - at > KEPT_MILLISECONDS) localStorage.removeItem(key);
  }
}

function allKeys(): string[] {
  try {
    return Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? "");
  } catch {
    return []; // storage is disabled
  }
}

function differs(draft: Record<string, string>, form: Record<string, string>): boolean {
  return Object.entries(draft).some(([name, value]) => name !== "hash" && value !== form[name]);
}
