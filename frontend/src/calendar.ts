// A year of days is one stop of the Tab key: the arrow keys walk over its days, as over a calendar.
const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 };

export function walkDays(): void {
  const only = (here = days().at(-1)): void => days().forEach((day) => day.setAttribute("tabindex", day === here ? "0" : "-1"));
  document.addEventListener("keydown", (event) => {
    const step = STEPS[event.key], here = (event.target as Element).closest<SVGAElement>(".calendar a");
    if (!step || !here) return;
    event.preventDefault();
    // The next day with notes in that direction: a week away, or the nearest beyond.
    const beyond = days().filter((day) => ((time(day) - time(here)) / 86_400_000) * Math.sign(step) >= Math.abs(step));
    const next = step > 0 ? beyond[0] : beyond.at(-1);
    if (next) only(next);
    next?.focus();
  });
  for (const event of ["freshened", "htmx:afterSwap"]) document.addEventListener(event, () => only());
  only();
}

function days(): SVGAElement[] {
  return [...document.querySelectorAll<SVGAElement>(".calendar a")];
}

function time(day: SVGAElement): number {
  return Date.parse(day.dataset["day"]!);
}
