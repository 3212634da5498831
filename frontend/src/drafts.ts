// Words that are not saved yet live in this browser: per note, version and page, until they are saved
// or discarded. A crash, a closed tab, an ended session or a server that is gone costs none of them.
import { element } from "./dom";

interface Draft { at: number; fields: Record<string, string> }

const PREFIX = "draft ";
const WRITE_MILLISECONDS = 250;
const KEPT_MILLISECONDS = 60 * 86_400_000;

export class Drafts {
  private readonly subject: string; // the note; of a new one, only that it is new
  private own: string;
  private readonly first: string;
  private timer = 0;

  constructor(private readonly form: HTMLFormElement, private readonly setField: (name: string, value: string) => void) {
    this.subject = form.dataset["draft"] ?? "new";
    this.own = this.newName();
    this.first = JSON.stringify(this.fields());
    for (const event of ["input", "change"]) form.addEventListener(event, () => this.soon());
    window.addEventListener("pagehide", () => this.keep());
    this.offer();
  }

  soon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), WRITE_MILLISECONDS);
  }

  keep(): void {
    clearTimeout(this.timer);
    if (!this.form.hasAttribute("data-dirty")) return;
    const fields = this.fields();
    try {
      if (JSON.stringify(fields) === this.first && !this.form.hasAttribute("data-refused")) localStorage.removeItem(this.own);
      else localStorage.setItem(this.own, JSON.stringify({ at: Date.now(), fields } satisfies Draft));
    } catch {
      // A browser that keeps nothing still asks before the page is left.
    }
  }

  // Whether the form says something else than what was sent.
  differFrom(sent: URLSearchParams): boolean {
    return Object.entries(this.fields()).some(([name, value]) => sent.get(name) !== value);
  }

  // It was saved, or is not wanted any more; what another tab holds is left to it.
  drop(): void {
    clearTimeout(this.timer);
    localStorage.removeItem(this.own);
  }

  // The page came back from the server with words that are saved nowhere: this draft has them now.
  takeOver(): void {
    this.keep();
    const { title, body } = this.fields();
    for (const [key, { fields }] of this.kept()) {
      if (key !== this.own && fields["title"] === title && fields["body"] === body) localStorage.removeItem(key);
    }
  }

  private fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(this.form)) if (typeof value === "string") fields[name] = value;
    return fields;
  }

  // Two tabs may edit the same version of a note, each with words of its own.
  private newName(): string {
    return `${PREFIX}${this.subject} ${this.form.dataset["hash"] ?? ""} ${Math.random().toString(36).slice(2)}`;
  }

  private offer(): void {
    const latest = this.kept().find(([key, draft]) => key !== this.own && differs(draft.fields, this.fields()));
    if (!latest) return;
    const [key, draft] = latest;
    const older = draft.fields["hash"] !== this.fields()["hash"] ? " The note has changed since; saving will show both versions." : "";
    const restore = element("button", { type: "button", class: "button primary" }, "Restore");
    const discard = element("button", { type: "button", class: "button" }, "Discard");
    const when = new Date(draft.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const banner = element(
      "div", { class: "banner notice draft-offer", role: "status" },
      element("span", {}, `Words from ${when} were not saved.${older}`), restore, discard,
    );
    restore.addEventListener("click", () => {
      this.keep();
      this.own = this.newName(); // what the form says now stays a draft of its own
      for (const [name, value] of Object.entries(draft.fields)) this.setField(name, value);
      this.form.setAttribute("data-dirty", "");
      this.keep();
      if (localStorage.getItem(this.own)) localStorage.removeItem(key);
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

  private kept(): [string, Draft][] {
    const found: [string, Draft][] = [];
    for (const key of allKeys()) {
      if (!key.startsWith(`${PREFIX}${this.subject} `)) continue;
      try {
        found.push([key, JSON.parse(localStorage.getItem(key) ?? "") as Draft]);
      } catch {
        localStorage.removeItem(key);
      }
    }
    return found.sort(([, one], [, other]) => other.at - one.at);
  }
}

// What nobody came back for is not kept for ever.
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
    return []; // the person switched storage off
  }
}

function differs(one: Record<string, string>, other: Record<string, string>): boolean {
  return Object.entries(one).some(([name, value]) => name !== "hash" && value !== other[name]);
}
