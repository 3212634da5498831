// Polls for changes of notes while the page is visible, and reports a lost connection.
import { refreshPage } from "./refresh";
import { element } from "./dom";
import { handOver } from "./handover";
import { showToast } from "./toasts";

interface ChangeMarks { version: string; notes: string; hash: string }
export type ConnectionProblem = "" | "away" | "ended" | "moved";

const PAUSE_MILLISECONDS = 2000;
const TIMEOUT_MILLISECONDS = 8000; // long enough for a busy machine
const POLLS_PER_STEP_CHECK = 5; // a page costs more than a poll
let timer = 0;
let polls = 0;
let latest: ChangeMarks | undefined;
let problem: ConnectionProblem = "";

export function watchForChanges(): void {
  // The editor is a separate bundle and may be the first to notice.
  document.addEventListener("connection", (event) => reportConnection((event as CustomEvent<ConnectionProblem>).detail));
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) void poll();
  });
  if (!document.hidden) timer = window.setTimeout(() => void poll(), PAUSE_MILLISECONDS / 4);
}

async function poll(): Promise<void> {
  const notePage = document.querySelector<HTMLElement>("[data-note]");
  const note = notePage?.dataset["note"] ?? "";
  const marks = await fetchMarks(note);
  if (marks) {
    if (note) reportNoteChange(notePage!, note, marks.hash);
    const isOld = latest ? latest.notes !== marks.notes || problem !== "" : document.body.dataset["version"] !== marks.version;
    if (isOld || isStepCheckDue()) await refreshPage();
    latest = marks;
    reportConnection("");
  }
  clearTimeout(timer);
  if (!document.hidden) timer = window.setTimeout(() => void poll(), PAUSE_MILLISECONDS);
}

// First steps are checked off automatically, and some of them change no note.
function isStepCheckDue(): boolean {
  polls = (polls + 1) % POLLS_PER_STEP_CHECK;
  return polls === 0 && document.querySelector("[data-steps]") !== null;
}

async function fetchMarks(note: string): Promise<ChangeMarks | undefined> {
  try {
    const response = await fetch(`/events?note=${encodeURIComponent(note)}`, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    if (response.ok) return (await response.json()) as ChangeMarks;
    if (response.status === 401) reportConnection("ended");
    if (response.status === 421) reportConnection((await handOver()) ? "moved" : "away");
  } catch {
    reportConnection("away");
  }
  return undefined;
}

// The page shows one version of the note's file; says so if the file has another one now.
function reportNoteChange(notePage: HTMLElement, note: string, hash: string): void {
  if (hash === notePage.dataset["hash"] || hash === latest?.hash) return;
  const isEditing = notePage.matches("[data-editor], [data-merge]");
  if (isEditing) showToast("This note changed on disk. Saving will show both versions.", "Open it", () => open(`/notes/${note}`));
  else showToast(hash ? "This note changed on disk." : "This note was deleted on disk.", "Reload", () => location.reload());
}

function reportConnection(next: ConnectionProblem): void {
  if (next === problem) return;
  problem = next;
  document.querySelector("#connection")?.remove();
  if (!next) return;
  document.querySelector("#toasts")?.prepend(element("div", { id: "connection", class: "banner trouble" }, ...message(next)));
}

function message(problem: ConnectionProblem): (Node | string)[] {
  const command = element("code", {}, "anamnesis dashboard");
  if (problem === "ended") return ["This session has ended. Run ", command, " and open the link in this browser; then continue here. Your text is kept."];
  if (problem === "moved") return ["The dashboard was started again and has a new address. Run ", command, ": the tab that it opens has your text. This one can be closed."];
  return ["The dashboard cannot be reached. What you type is kept in this browser. If it was stopped, run ", command, "."];
}
