// The page of work that takes a while: it says how far it is, and leads on when it is over.
interface State { done: number; total: number; go?: string }

const PAUSE_MILLISECONDS = 400;

export async function followJob(): Promise<void> {
  const shown = document.querySelector<HTMLElement>("[data-job]");
  if (!shown) return;
  const answer = await fetch(shown.dataset["job"]!, { headers: { "x-sent-by": "script" } }).catch(() => undefined);
  if (answer?.ok) {
    const { done, total, go } = (await answer.json()) as State;
    if (go) return location.replace(go);
    const bar = shown.querySelector("progress")!;
    if (total) {
      bar.max = total;
      bar.value = done;
      shown.querySelector("[data-far]")!.textContent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    }
  }
  setTimeout(() => void followJob(), PAUSE_MILLISECONDS);
}
