// A form that replaces the page ends the page's own requests: they may ask for what the form removes.
const PAUSE_MILLISECONDS = 10_000; // not for ever: after a download the page stays

let resumeAt = 0;
let requests = new AbortController();

export function endRequestsOnSubmit(): void {
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    endRequests();
    if (defaultPrevented) return; // sent by script, which says when the page goes
    pauseRequests();
    target!.dispatchEvent(new CustomEvent("htmx:abort", { bubbles: true, detail: {} }));
  });
  window.addEventListener("pageshow", () => (resumeAt = 0));
}

export function pauseRequests(): void {
  endRequests();
  resumeAt = Date.now() + PAUSE_MILLISECONDS;
}

// For a request on behalf of the page as it is now; nothing while the page is being left.
export function pageSignal(): AbortSignal | undefined {
  return Date.now() < resumeAt ? undefined : requests.signal;
}

function endRequests(): void {
  requests.abort();
  requests = new AbortController();
}
