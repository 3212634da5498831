// Reading a note: copy buttons on code, hover cards on links to notes, and the title in the toolbar
// once the heading has scrolled away.
import { element } from "./dom";

const HOVER_MILLISECONDS = 350;
let card: HTMLElement | undefined;
let timer = 0;

export function enhanceReading(): void {
  for (const code of document.querySelectorAll<HTMLElement>(".prose pre, pre[data-copy]")) addCopyButton(code);
  document.addEventListener("pointerover", (event) => hover(event.target as Element));
  document.addEventListener("focusin", (event) => hover(event.target as Element));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  for (const heading of document.querySelectorAll<HTMLElement>(".note .prose [id^=part-]")) {
    heading.append(" ", element("a", { class: "anchor", href: `#${heading.id}`, "aria-label": "Link to this part" }, "#"));
  }
  const bar = document.querySelector<HTMLElement>("[data-sticky]"), title = document.querySelector(".note-head h1");
  if (bar && title) {
    new IntersectionObserver(([entry]) => bar.classList.toggle("stuck", !entry!.isIntersecting), { rootMargin: "-60px 0px 0px" }).observe(title);
  }
}

function addCopyButton(code: HTMLElement): void {
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    // Over plain HTTP there may be no clipboard; the text is selected instead.
    if (navigator.clipboard) await navigator.clipboard.writeText(code.textContent ?? "");
    else getSelection()?.selectAllChildren(code);
    button.textContent = navigator.clipboard ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const box = element("div", { class: "code-box" });
  code.replaceWith(box);
  code.tabIndex = 0;
  box.append(code, button);
}

function hover(target: Element | null): void {
  if (card?.contains(target)) return;
  const link = target?.closest<HTMLAnchorElement>("a.note-link");
  clearTimeout(timer);
  hide();
  if (link) timer = window.setTimeout(() => void show(link), HOVER_MILLISECONDS);
}

async function show(link: HTMLAnchorElement): Promise<void> {
  const address = link.pathname === "/find" ? `${link.pathname}${link.search}&card=1` : `${link.pathname}/card`;
  const response = await fetch(address).catch(() => undefined);
  if (!response?.ok || response.redirected || !link.isConnected) return;
  hide();
  card = element("div", { class: "hover-card", role: "tooltip" });
  // The server has sanitized it: no scripts, none of the note's own markup.
  card.innerHTML = await response.text();
  const box = link.getBoundingClientRect();
  (document.querySelector("main") ?? document.body).append(card);
  const left = Math.max(12, Math.min(box.left, innerWidth - card.offsetWidth - 12));
  card.style.left = `${left + scrollX}px`;
  card.style.top = `${box.bottom + scrollY + 6}px`;
}

function hide(): void {
  card?.remove();
  card = undefined;
}
