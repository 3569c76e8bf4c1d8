// Keys lead to elements of the page (data-key), and from row to row. /help/shortcuts lists them.
let begun = "";
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (document.documentElement.dataset.keys === "none") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (target.closest("input, textarea, select, .cm-editor")) return;
  const keys = begun + key;
  begun = keys === "g" ? "g" : "";
  const goTo = (places, isNext) => {
    const rows = [...document.querySelectorAll(places)];
    const here = rows.findLastIndex((row) => row === target || row.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING);
    const row = rows[isNext ? here + 1 : here - 1];
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector("a, summary, button")?.focus();
  };
  if (key === "j" || key === "k") {
    goTo("main .rows > li, main .diff, main .thread", key === "j");
    return;
  }
  const found = document.querySelector(`[data-key="${CSS.escape(keys)}"]`);
  if (!found && (keys === "n" || keys === "p")) goTo("main section.thread", keys === "n");
  if (!found) return;
  event.preventDefault();
  found.focus();
  if (!found.matches("a, summary")) return;
  found.click();
  found.parentElement.querySelector(":scope[open] input[type=checkbox]")?.focus();
});
