// At the address of an earlier start: shows text that is kept here because the dashboard was down.
import { leftDrafts } from "./drafts";
import { element } from "./dom";

const place = document.querySelector<HTMLElement>("#left");
for (const { fields } of leftDrafts()) {
  place?.removeAttribute("hidden");
  const area = element("textarea", { readonly: "", rows: "8", "aria-label": fields["title"] || "Text" });
  area.value = [fields["title"], fields["body"]].filter(Boolean).join("\n\n");
  place?.append(area);
}
