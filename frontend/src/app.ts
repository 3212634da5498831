// On every page: keys, palette, help, toasts, and updates when notes change on disk.
import { makeCalendarNavigable } from "./calendar";
import { watchForChanges } from "./changes";
import { acceptDroppedFiles } from "./drop";
import { searchEverywhere } from "./find";
import { followJob } from "./job";
import { listenForKeys } from "./keys";
import { endRequestsOnSubmit } from "./leaving";
import { openPalette } from "./palette";
import { openHelp } from "./help";
import { closeMenus, scrollToCurrentPage } from "./menus";
import { trackSelection } from "./selection";
import { enhanceReading } from "./reading";
import { reportFailedRequests, showProgress, startToasts } from "./toasts";

document.documentElement.classList.add("scripted");
for (const button of document.querySelectorAll("[data-palette]")) button.addEventListener("click", openPalette);
for (const button of document.querySelectorAll("[data-help]")) button.addEventListener("click", openHelp);
// A choice applies at once; where a part of the page is not enough, the form is submitted.
document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement) target.closest<HTMLFormElement>("form[data-at-once]")?.requestSubmit();
});
endRequestsOnSubmit();
listenForKeys();
closeMenus();
scrollToCurrentPage();
trackSelection();
acceptDroppedFiles();
searchEverywhere();
void followJob();
startToasts();
showProgress();
reportFailedRequests();
enhanceReading();
makeCalendarNavigable();
watchForChanges();
