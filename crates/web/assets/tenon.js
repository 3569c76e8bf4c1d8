// Everything works without this file. It shows times in the reader's zone, adds a button that copies, and fetches parts of pages.

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

// Lines that a difference leaves out come between those that are there. Whatever stands in the way, the link still leads to them.
const policy = window.trustedTypes?.createPolicy("tenon", { createHTML: (html) => html });
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.more");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const answer = await fetch(link.href, { headers: { "X-Fragment": "1" } }).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    location.assign(link.href);
    return;
  }
  const html = await answer.text();
  const holder = document.createElement("template");
  holder.innerHTML = policy ? policy.createHTML(html) : html;
  const first = holder.content.firstElementChild;
  const row = link.closest("tr");
  if (link.matches(".files")) {
    document.querySelector("table.files tbody")?.replaceChildren(holder.content);
    link.parentElement.remove();
  } else if (row) row.replaceWith(holder.content);
  else {
    link.previousElementSibling?.querySelector("tbody")?.append(holder.content);
    link.remove();
  }
  if (!first) return;
  first.tabIndex = -1;
  first.focus({ preventScroll: true });
});

// Going back shows a page as it was, without asking: its reader may have signed out since. The cookie tells the server that such
// pages are asked for again here, so that it lets the browser keep them.
const root = new URL(import.meta.url).pathname.replace(/\/assets\/.*/, "/");
document.cookie = `_service_script=1; path=${root}; SameSite=Lax${location.protocol === "https:" ? "; Secure" : ""}`;
addEventListener("pageshow", ({ persisted }) => {
  const [way] = performance.getEntriesByType("navigation");
  if (!persisted && !(way?.type === "back_forward" && way.transferSize === 0)) return;
  document.documentElement.hidden = true;
  location.reload();
});
