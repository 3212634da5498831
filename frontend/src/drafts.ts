// Unsaved text is kept by the dashboard, per form and tab, until it is saved or discarded: a browser
// keeps text for one address, and each start has its own. Until the dashboard has it, or while it is
// down, the browser keeps it.
import { element } from "./dom";
import { isDashboard } from "./proof";

interface Draft { id: string; subject: string; at: number; place: string; fields: Record<string, string> }

const PREFIX = "draft ";
const WRITE_MILLISECONDS = 250;

export class Drafts {
  private readonly subject: string; // the id of the note, or "new"
  private id = newId();
  private readonly initial: string;
  private timer = 0;

  constructor(private readonly form: HTMLFormElement, private readonly setField: (name: string, value: string) => void) {
    this.subject = form.dataset["draft"] ?? "new";
    this.initial = JSON.stringify(this.fields());
    for (const event of ["input", "change"]) form.addEventListener(event, () => this.keepSoon());
    window.addEventListener("pagehide", () => this.keep());
    document.addEventListener("handover", () => this.keep());
    void sendLeftDrafts().then(() => this.offer());
  }

  keepSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), WRITE_MILLISECONDS);
  }

  keep(): void {
    clearTimeout(this.timer);
    if (!this.form.hasAttribute("data-dirty")) return;
    const fields = this.fields();
    if (JSON.stringify(fields) === this.initial && !this.form.hasAttribute("data-refused")) return drop([this.id]);
    const { id, subject } = this;
    leave({ id, subject, at: Date.now(), place: location.pathname + location.search, fields });
    void sendLeftDrafts();
  }

  // Whether the form differs from what was submitted.
  differFrom(submitted: URLSearchParams): boolean {
    return Object.entries(this.fields()).some(([name, value]) => submitted.get(name) !== value);
  }

  // Removes this draft once it is saved or discarded; drafts of other tabs stay.
  drop(): void {
    clearTimeout(this.timer);
    drop([this.id]);
  }

  // The server returned the page with text that is not saved: this draft keeps it now.
  async takeOver(): Promise<void> {
    this.keep();
    const { title, body } = this.fields();
    const same = (await this.others()).filter(({ fields }) => fields["title"] === title && fields["body"] === body);
    drop(same.map(({ id }) => id));
  }

  private fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(this.form)) if (typeof value === "string") fields[name] = value;
    return fields;
  }

  private async offer(): Promise<void> {
    const latest = (await this.others()).find(({ fields }) => differs(fields, this.fields()));
    if (!latest) return;
    const staleness = latest.fields["hash"] !== this.fields()["hash"] ? " The note has changed since; saving will show both versions." : "";
    const restore = element("button", { type: "button", class: "button primary" }, "Restore");
    const discard = element("button", { type: "button", class: "button" }, "Discard");
    const when = new Date(latest.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const banner = element(
      "div", { class: "banner notice draft-offer", role: "status" },
      element("span", {}, `Text from ${when} was not saved.${staleness}`), restore, discard,
    );
    restore.addEventListener("click", () => {
      this.keep();
      this.id = newId(); // the current text stays a draft of its own
      for (const [name, value] of Object.entries(latest.fields)) this.setField(name, value);
      this.form.setAttribute("data-dirty", "");
      this.keep();
      drop([latest.id]);
      banner.remove();
      void this.offer();
    });
    discard.addEventListener("click", () => {
      drop([latest.id]);
      banner.remove();
      void this.offer();
    });
    this.form.querySelector("[data-offers]")?.prepend(banner);
  }

  private async others(): Promise<Draft[]> {
    await sending;
    const response = await fetch(`/drafts?subject=${encodeURIComponent(this.subject)}`).catch(() => undefined);
    const kept = response?.ok ? ((await response.json()) as { drafts: Draft[] }).drafts : [];
    return kept.filter(({ id }) => id !== this.id);
  }
}

// Drafts that the dashboard does not have yet.
export function leftDrafts(): Draft[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? "");
    return keys.filter((key) => key.startsWith(PREFIX)).map((key) => JSON.parse(localStorage.getItem(key)!) as Draft);
  } catch {
    return []; // storage is disabled, or not ours
  }
}

// The dashboard has these drafts now, unless they have changed meanwhile.
export function forget(drafts: Draft[]): void {
  for (const draft of drafts) {
    if (localStorage.getItem(PREFIX + draft.id) === JSON.stringify(draft)) localStorage.removeItem(PREFIX + draft.id);
  }
}

function leave(draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify(draft));
  } catch {
    void post({ keep: [draft] });
  }
}

// One request after the other, so that a draft that was dropped is not kept again by an earlier one.
let sending: Promise<unknown> = Promise.resolve();

function sendLeftDrafts(): Promise<unknown> {
  return (sending = sending.then(async () => {
    const drafts = leftDrafts();
    if (drafts.length > 0 && (await post({ keep: drafts }))) forget(drafts);
  }));
}

function drop(ids: string[]): void {
  for (const id of ids) localStorage.removeItem(PREFIX + id);
  if (ids.length > 0) sending = sending.then(() => post({ drop: ids }));
}

async function post(body: { keep?: Draft[]; drop?: string[] }): Promise<boolean> {
  if (!(await isDashboard())) return false;
  const text = JSON.stringify(body);
  // Outlives the page if it is small enough for what browsers allow.
  const response = await fetch("/drafts", { method: "POST", body: text, keepalive: text.length < 20_000 }).catch(() => undefined);
  return response?.ok === true;
}

function newId(): string {
  return Math.random().toString(36).slice(2).padEnd(6, "0") + Date.now().toString(36);
}

function differs(draft: Record<string, string>, form: Record<string, string>): boolean {
  return Object.entries(draft).some(([name, value]) => name !== "hash" && value !== form[name]);
}
