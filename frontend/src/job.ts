// The progress page of a job: shows how far it is, and leaves when the job is finished.
interface Progress { done: number; total: number; go?: string }

const PAUSE_MILLISECONDS = 400;

export async function followJob(): Promise<void> {
  const page = document.querySelector<HTMLElement>("[data-job]");
  if (!page) return;
  const response = await fetch(page.dataset["job"]!, { headers: { "x-sent-by": "script" } }).catch(() => undefined);
  if (response?.ok) {
    const { done, total, go } = (await response.json()) as Progress;
    if (go) return location.replace(go);
    const bar = page.querySelector("progress")!;
    if (total) {
      bar.max = total;
      bar.value = done;
      page.querySelector("[data-far]")!.textContent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    }
  }
  setTimeout(() => void followJob(), PAUSE_MILLISECONDS);
}
