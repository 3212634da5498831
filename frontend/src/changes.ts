// The server tells when notes changed on disk, whoever changed them.
import { tell } from "./toasts";

export function watch(): void {
  const shown = document.querySelector<HTMLElement>("[data-note]");
  const note = shown?.dataset["note"] ?? "";
  const lists = document.querySelector("#results, [data-live]");
  if (!note && !lists) return;
  // The browser asks again every moment: no connection of the few that it has stays open.
  const events = new EventSource(`/events?note=${encodeURIComponent(note)}`);
  events.addEventListener("changed", (event) => {
    const news = JSON.parse((event as MessageEvent<string>).data) as { hash: string };
    if (note) {
      if (news.hash === shown?.dataset["hash"]) return;
      const editing = shown?.matches("[data-editor], [data-merge]");
      if (editing) tell("This note changed on disk. Saving will show both versions.", "Look", () => open(`/notes/${note}`));
      else tell(news.hash ? "This note changed on disk." : "This note is gone from the disk.", "Reload", () => location.reload());
    } else {
      tell("Notes changed on disk.", "Show", () => location.reload());
    }
  });
}
