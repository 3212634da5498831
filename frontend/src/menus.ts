// Menus close as people expect; the bar of pages on a phone shows the current one.
export function closeMenus(): void {
  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

export function showWhereWeAre(): void {
  document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function open(): NodeListOf<HTMLDetailsElement> {
  return document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
}
