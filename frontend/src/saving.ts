// Forms are submitted by script first, so that the page with its text stays until it is saved.
import type { ConnectionProblem } from "./changes";
import type { Drafts } from "./drafts";
import { element } from "./dom";
import { isDashboard } from "./proof";

const TIMEOUT_MILLISECONDS = 30_000;

export function submitByScript(form: HTMLFormElement, drafts: Drafts): void {
  let isBusy = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    form.setAttribute("aria-busy", "true");
    drafts.keep();
    void submit(form, event.submitter as HTMLButtonElement | null, drafts).then((isSaved) => isSaved || release(), release);
  });
  window.addEventListener("pageshow", release); // the user came back to the page

  function release(): void {
    isBusy = false;
    form.removeAttribute("aria-busy");
  }
}

function reportConnection(problem: ConnectionProblem): void {
  document.dispatchEvent(new CustomEvent("connection", { detail: problem }));
}

// Whether the text is saved and the page is being left.
async function submit(form: HTMLFormElement, button: HTMLButtonElement | null, drafts: Drafts): Promise<boolean> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") body.append(name, value);
  let response: Response;
  try {
    if (!(await isDashboard())) throw new Error("another program listens here");
    response = await fetch(form.action, {
      method: "POST", body, headers: { "x-sent-by": "script" }, signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
  } catch {
    reportConnection("away");
    showError(form, "Not saved: the dashboard cannot be reached. Your text is kept here. Save again when it is back.");
    return false;
  }
  if (response.ok) {
    const { go } = (await response.json()) as { go: string };
    const hasMore = drafts.differFrom(body); // typed while saving
    if (hasMore) drafts.keep();
    else drafts.drop();
    form.removeAttribute("data-dirty");
    location.assign(hasMore ? location.href : go);
    return true;
  } else if (response.status === 401) {
    reportConnection("ended");
    showError(form, "Not saved: this session has ended. Your text is kept here. Open a new link in this browser, then save again.");
  } else if (response.status === 421) {
    showError(form, "Not saved: the dashboard was started again and has a new address. Your text is kept. Run anamnesis dashboard; the tab that it opens has it.");
  } else {
    await explain(form, button, response);
  }
  return false;
}

async function explain(form: HTMLFormElement, button: HTMLButtonElement | null, response: Response): Promise<void> {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const otherForm = page.querySelector("form[data-merge], form[data-editor]");
  if (otherForm && (otherForm.matches("[data-merge]") !== form.matches("[data-merge]") || response.status === 409)) {
    // Another page is needed: both versions side by side, or the text of a deleted note.
    if (button?.name) form.append(element("input", { type: "hidden", name: button.name, value: button.value }));
    form.removeAttribute("data-dirty");
    form.submit();
    return;
  }
  const alert = page.querySelector("[role=alert]") ?? page.querySelector("main h1");
  showError(form, alert?.textContent?.trim() ?? `Not saved (${response.status}). Your text is kept here.`);
}

function showError(form: HTMLFormElement, text: string): void {
  form.setAttribute("data-dirty", "");
  for (const old of form.querySelectorAll("[data-offers] > [role=alert]")) old.remove();
  const banner = element("p", { class: "banner trouble", role: "alert", tabindex: "-1" }, text);
  form.querySelector("[data-offers]")?.append(banner);
  banner.scrollIntoView({ block: "nearest" });
}
