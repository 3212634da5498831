// Menus close on Escape or a click outside; on a phone, the menu bar scrolls to the current page.
export function closeMenus(): void {
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

export function scrollToCurrentPage(): void {
  document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function openMenus(): NodeListOf<HTMLDetailsElement> {
  return document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
}
