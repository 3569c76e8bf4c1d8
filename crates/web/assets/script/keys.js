// Keys lead to elements of the page (data-key), and from row to row. /help/shortcuts lists them.
let begun = "";
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (document.documentElement.dataset.keys === "none") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (target.closest("input, textarea, select")) return;
  const keys = begun + key;
  begun = keys === "g" ? "g" : "";
  if (key === "j" || key === "k") {
    const rows = [...document.querySelectorAll("main .rows > li, main .diff, main .thread")];
    const here = rows.findLastIndex((row) => row.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING);
    const row = key === "j" ? rows[here + 1] : rows[here - 1];
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector("a, summary, button")?.focus();
    return;
  }
  const found = document.querySelector(`[data-key="${CSS.escape(keys)}"]`);
  if (!found) return;
  event.preventDefault();
  found.focus();
  if (found.matches("a")) found.click();
});
