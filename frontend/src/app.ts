// Everywhere: keys, palette, help, toasts, and the notice that notes changed on disk.
import { watch } from "./changes";
import { listenForKeys } from "./keys";
import { openPalette } from "./palette";
import { openHelp } from "./help";
import { closeMenus, showWhereWeAre } from "./menus";
import { countSelection } from "./selection";
import { settleToasts } from "./toasts";

document.documentElement.classList.add("scripted");
for (const button of document.querySelectorAll("[data-palette]")) button.addEventListener("click", openPalette);
for (const button of document.querySelectorAll("[data-help]")) button.addEventListener("click", openHelp);
listenForKeys();
closeMenus();
showWhereWeAre();
countSelection();
settleToasts();
watch();
