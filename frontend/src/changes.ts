// The page asks every moment whether notes changed, and says so when nobody answers.
import { freshen } from "./freshen";
import { element } from "./dom";
import { tell } from "./toasts";

interface News { version: string; notes: string; hash: string }
export type Trouble = "" | "away" | "ended";

const PAUSE_MILLISECONDS = 2000;
const PATIENCE_MILLISECONDS = 8000; // a busy machine is not one that is gone
const LOOKS_PER_STEPS = 5; // a page costs more than a look
let timer = 0;
let looks = 0;
let seen: News | undefined;
let trouble: Trouble = "";

export function watch(): void {
  // The editor is a bundle of its own and may be the first to notice.
  document.addEventListener("connection", (event) => say((event as CustomEvent<Trouble>).detail));
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) void look();
  });
  if (!document.hidden) timer = window.setTimeout(() => void look(), PAUSE_MILLISECONDS / 4);
}

async function look(): Promise<void> {
  const shown = document.querySelector<HTMLElement>("[data-note]");
  const note = shown?.dataset["note"] ?? "";
  const news = await ask(note);
  if (news) {
    if (note) aboutNote(shown!, note, news.hash);
    const isOld = seen ? seen.notes !== news.notes || trouble !== "" : document.body.dataset["version"] !== news.version;
    if (isOld || stepsAreDue()) await freshen();
    seen = news;
    say("");
  }
  clearTimeout(timer);
  if (!document.hidden) timer = window.setTimeout(() => void look(), PAUSE_MILLISECONDS);
}

// First steps tick themselves, and some of them leave no note: hooks that were written, a session's start.
function stepsAreDue(): boolean {
  looks = (looks + 1) % LOOKS_PER_STEPS;
  return looks === 0 && document.querySelector("[data-steps]") !== null;
}

async function ask(note: string): Promise<News | undefined> {
  try {
    const answer = await fetch(`/events?note=${encodeURIComponent(note)}`, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    if (answer.ok) return (await answer.json()) as News;
    if (answer.status === 401) say("ended");
  } catch {
    say("away");
  }
  return undefined;
}

// What is known of one note: the page was drawn from a version of its file.
function aboutNote(shown: HTMLElement, note: string, hash: string): void {
  if (hash === shown.dataset["hash"] || hash === seen?.hash) return;
  const editing = shown.matches("[data-editor], [data-merge]");
  if (editing) tell("This note changed on disk. Saving will show both versions.", "Look", () => open(`/notes/${note}`));
  else tell(hash ? "This note changed on disk." : "This note is gone from the disk.", "Reload", () => location.reload());
}

function say(what: Trouble): void {
  if (what === trouble) return;
  trouble = what;
  document.querySelector("#connection")?.remove();
  if (!what) return;
  document.querySelector("#toasts")?.prepend(element("div", { id: "connection", class: "banner trouble" }, ...sentence(what)));
}

function sentence(what: Trouble): (Node | string)[] {
  const command = element("code", {}, "anamnesis dashboard");
  if (what === "ended") return ["This session has ended. Run ", command, " and open its link in this browser: this page goes on from here, with your words."];
  return ["The dashboard cannot be reached. What you type is kept in this browser. If it was stopped, run ", command, "."];
}
