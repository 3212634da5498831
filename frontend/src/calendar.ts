// The calendar is a single tab stop; the arrow keys move between its days.
const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 };

export function makeCalendarNavigable(): void {
  const makeTabStop = (tabStop = days().at(-1)): void => days().forEach((day) => day.setAttribute("tabindex", day === tabStop ? "0" : "-1"));
  document.addEventListener("keydown", (event) => {
    const step = STEPS[event.key], current = (event.target as Element).closest<SVGAElement>(".calendar a");
    if (!step || !current) return;
    event.preventDefault();
    // The next day with notes in that direction: a day or a week away, or the nearest beyond.
    const beyond = days().filter((day) => ((time(day) - time(current)) / 86_400_000) * Math.sign(step) >= Math.abs(step));
    const next = step > 0 ? beyond[0] : beyond.at(-1);
    if (next) makeTabStop(next);
    next?.focus();
  });
  for (const event of ["refreshed", "htmx:afterSwap"]) document.addEventListener(event, () => makeTabStop());
  makeTabStop();
}

function days(): SVGAElement[] {
  return [...document.querySelectorAll<SVGAElement>(".calendar a")];
}

function time(day: SVGAElement): number {
  return Date.parse(day.dataset["day"]!);
}
