// Everything works without this file. It shows times in the reader's zone, and adds a button that copies.

for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) continue;
  time.title = time.textContent;
  time.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

for (const field of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  });
  field.after(button);
}

// Keys lead to what the page has for them (data-key), and from row to row. /help/shortcuts lists them.
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
