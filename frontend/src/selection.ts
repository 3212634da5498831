// How many notes are selected.
export function countSelection(): void {
  document.addEventListener("change", (event) => {
    const form = (event.target as Element | null)?.closest("form.selectable");
    const label = form?.querySelector("[data-selected]");
    if (form && label) {
      const number = form.querySelectorAll("input[name=id]:checked").length;
      label.textContent = `${number} selected`;
    }
  });
}
