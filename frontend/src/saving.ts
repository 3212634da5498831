// A form is sent by script first: whatever happens, the page with its words stays until they are safe.
import type { Trouble } from "./changes";
import type { Drafts } from "./drafts";
import { element } from "./dom";

const PATIENCE_MILLISECONDS = 30_000;

export function sendByScript(form: HTMLFormElement, drafts: Drafts): void {
  let busy = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    drafts.keep();
    void send(form, event.submitter as HTMLButtonElement | null, drafts).then((isLeft) => isLeft || rest(), rest);
  });
  window.addEventListener("pageshow", rest); // somebody came back to a page that was left

  function rest(): void {
    busy = false;
    form.removeAttribute("aria-busy");
  }
}

function say(trouble: Trouble): void {
  document.dispatchEvent(new CustomEvent("connection", { detail: trouble }));
}

// Whether the words are safe and the page is being left.
async function send(form: HTMLFormElement, button: HTMLButtonElement | null, drafts: Drafts): Promise<boolean> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") body.append(name, value);
  let answer: Response;
  try {
    answer = await fetch(form.action, {
      method: "POST", body, headers: { "x-sent-by": "script" }, signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
  } catch {
    say("away");
    refuse(form, "Not saved: the dashboard cannot be reached. Your words are kept here. Save again when it is back.");
    return false;
  }
  if (answer.ok) {
    const { go } = (await answer.json()) as { go: string };
    const more = drafts.differFrom(body); // typed while the others were on their way
    if (more) drafts.keep();
    else drafts.drop();
    form.removeAttribute("data-dirty");
    location.assign(more ? location.href : go);
    return true;
  } else if (answer.status === 401) {
    say("ended");
    refuse(form, "Not saved: this session has ended. Your words are kept here. Open a new link in this browser, then save again.");
  } else {
    await explain(form, button, answer);
  }
  return false;
}

async function explain(form: HTMLFormElement, button: HTMLButtonElement | null, answer: Response): Promise<void> {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const other = page.querySelector("form[data-merge], form[data-editor]");
  if (other && (other.matches("[data-merge]") !== form.matches("[data-merge]") || answer.status === 409)) {
    // Another page is needed: both versions side by side, or the words of a note that is gone.
    if (button?.name) form.append(element("input", { type: "hidden", name: button.name, value: button.value }));
    form.removeAttribute("data-dirty");
    form.submit();
    return;
  }
  const alert = page.querySelector("[role=alert]") ?? page.querySelector("main h1");
  refuse(form, alert?.textContent?.trim() ?? `Not saved (${answer.status}). Your words are kept here.`);
}

function refuse(form: HTMLFormElement, text: string): void {
  form.setAttribute("data-dirty", "");
  for (const old of form.querySelectorAll("[data-offers] > [role=alert]")) old.remove();
  const banner = element("p", { class: "banner trouble", role: "alert", tabindex: "-1" }, text);
  form.querySelector("[data-offers]")?.append(banner);
  banner.scrollIntoView({ block: "nearest" });
}
