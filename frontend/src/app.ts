// Everywhere: keys, palette, help, toasts, and the notice that notes changed on disk.
import { walkDays } from "./calendar";
import { watch } from "./changes";
import { importDropped } from "./drop";
import { searchEverywhere } from "./find";
import { followJob } from "./job";
import { listenForKeys } from "./keys";
import { openPalette } from "./palette";
import { openHelp } from "./help";
import { closeMenus, showWhereWeAre } from "./menus";
import { selectNotes } from "./selection";
import { readWell } from "./reading";
import { settleToasts, showProgress, tellRefusals } from "./toasts";

document.documentElement.classList.add("scripted");
for (const button of document.querySelectorAll("[data-palette]")) button.addEventListener("click", openPalette);
for (const button of document.querySelectorAll("[data-help]")) button.addEventListener("click", openHelp);
// Every choice counts at once; where a part of the page is not enough, the form is sent.
document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement) target.closest<HTMLFormElement>("form[data-at-once]")?.requestSubmit();
});
listenForKeys();
closeMenus();
showWhereWeAre();
selectNotes();
importDropped();
searchEverywhere();
void followJob();
settleToasts();
showProgress();
tellRefusals();
readWell();
walkDays();
watch();
