// Everything works without this file. It adds a button that copies, fetches parts of pages,
// and keeps typed texts.

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

// Menus close by Escape, by a click outside, and when another one opens. A menu that contains the other one stays open.
const MENUS = "details:is(.menu, .confirm, .react)[open]";
const closeMenus = (but) => {
  for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(but)) menu.open = false;
};
document.addEventListener("click", ({ target }) => closeMenus(target));
document.addEventListener("toggle", ({ target }) => target.matches(MENUS) && closeMenus(target), true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
  const menu = [...document.querySelectorAll(MENUS)].at(-1);
  if (!menu) return;
  const hasFocus = menu.contains(document.activeElement);
  menu.open = false;
  if (hasFocus) menu.querySelector("summary").focus();
});

// The form of a project offers the choices of its namespace. Another namespace loads the page again, with the typed values.
document.querySelector("select[data-switch]")?.addEventListener("change", ({ target }) => {
  const asked = new URLSearchParams({ namespace_id: target.value });
  for (const [name, typed] of new FormData(target.form)) {
    if (!typed || name === target.name || !name.startsWith("project[")) continue;
    // An address in the history of the browser has no password.
    asked.set(name, name === "project[import_url]" ? typed.replace(/^(\w+:\/\/)[^/]*@/, "$1") : typed);
  }
  location.assign(`${target.form.getAttribute("action")}/new?${asked}`);
});

// Lines that a difference leaves out are inserted between its lines. If that fails, the link still leads to them.
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
    if (!document.querySelector("table.files .late")) link.parentElement.remove();
  } else if (row) row.replaceWith(holder.content);
  else {
    link.previousElementSibling?.querySelector("tbody")?.append(holder.content);
    link.remove();
  }
  if (!first) return;
  first.tabIndex = -1;
  first.focus({ preventScroll: true });
});

// The totals of the other scopes of a search. The page does not wait for them.
const countScopes = async (tabs) => {
  const answer = await fetch(tabs.dataset.counts, { headers: { Accept: "application/json" } }).catch(() => null);
  const totals = answer?.ok && !answer.redirected ? await answer.json().catch(() => ({})) : {};
  for (const place of tabs.querySelectorAll("[data-scope]")) {
    const total = totals[place.dataset.scope];
    if (total === undefined) {
      place.remove();
      continue;
    }
    const count = document.createElement("span");
    count.className = "count";
    count.textContent = total;
    place.append(count);
  }
};
document.querySelectorAll("[data-counts]").forEach(countScopes);

// A link to a comment may name a part of a discussion that is not shown. The address with its number has that part.
const findNote = () => {
  const [, id] = location.hash.match(/^#note_(\d+)$/) ?? [];
  const asked = new URLSearchParams(location.search);
  if (!id || document.getElementById(`note_${id}`) || asked.get("note") === id) return;
  if (!/\/((issues|merge_requests)\/\d+(\/diffs)?|commit\/[0-9a-f]+)$/.test(location.pathname)) return;
  asked.delete("page");
  asked.set("note", id);
  location.replace(`${location.pathname}?${asked}${location.hash}`);
};
findNote();
addEventListener("hashchange", findNote);

// An anchor in a text of a user. Its name has a prefix, which addresses from other sites lack.
const findPlace = () => {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // The name cannot be decoded, and is used as it is.
  }
  if (!name || document.getElementById(name)) return;
  document.getElementById(`user-content-${name}`)?.scrollIntoView();
};
findPlace();
addEventListener("hashchange", findPlace);

// A file that is chosen, pasted or dropped becomes a line of the text. The result is shown beside the link. Its element exists
// from the start, so that screen readers announce it. An answer gets the link of the comment form, or of the page without one.
const prepare = (link) => {
  link.setAttribute("role", "button");
  const said = document.createElement("span");
  said.className = "said muted";
  said.setAttribute("role", "status");
  link.after(said);
  return link;
};
document.querySelectorAll(".attach").forEach(prepare);
const linkOf = (field) => {
  const own = field.parentElement.querySelector(".attach");
  const ofPage = () => document.querySelector("#comment .attach") ?? document.getElementById("attach")?.content.querySelector(".attach");
  const shared = field.closest(".reply") && ofPage();
  if (own || !shared) return own;
  field.after(shared.cloneNode(true));
  return prepare(field.nextElementSibling);
};
document.addEventListener("focusin", ({ target }) => target.matches(".reply textarea") && linkOf(target));
const attach = async (field, link, files) => {
  const said = link.nextElementSibling;
  const headers = { Accept: "application/json", "X-CSRF-Token": document.querySelector("meta[name=csrf-token]").content };
  for (const file of files) {
    said.textContent = `Attaching ${file.name} …`;
    const body = new FormData();
    body.append("file", file);
    const answer = await fetch(link.href.replace(/\/new$/, ""), { method: "POST", body, headers }).catch(() => null);
    const read = await answer?.json().catch(() => null);
    if (!read?.link) {
      said.textContent = read?.message ?? `${file.name} could not be attached.`;
      return;
    }
    const at = field.selectionEnd;
    field.setRangeText(`${read.link.markdown}\n`, at, at, "end");
  }
  said.textContent = `Attached: ${files.map(({ name }) => name).join(", ")}.`;
  field.focus();
};
const filesIn = (data) => (data && !data.types.includes("text/plain") ? [...data.files] : []);
document.addEventListener("click", (event) => {
  const link = event.target.closest(".attach");
  if (!link) return;
  event.preventDefault();
  const chosen = document.createElement("input");
  chosen.type = "file";
  chosen.multiple = true;
  chosen.addEventListener("change", () => attach(link.parentElement.querySelector("textarea"), link, [...chosen.files]));
  chosen.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !event.target.matches(".attach")) return;
  event.preventDefault();
  event.target.click();
});
for (const [kind, data] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) {
  document.addEventListener(kind, (event) => {
    const files = filesIn(event[data]);
    const link = event.target.matches("textarea") && files.length && linkOf(event.target);
    if (!link) return;
    event.preventDefault();
    attach(event.target, link, files);
  });
}
document.addEventListener("dragover", (event) => {
  if (event.target.matches?.("textarea") && event.dataTransfer.types.includes("Files") && linkOf(event.target)) event.preventDefault();
});

// Typed texts stay in the tab until a page of the reader has answered their form, and are restored with its page. So is the
// version of the stored text that the form has seen: saving an old text over a newer one is still refused. The texts are
// deleted when the reader signs out, or another one signs in.
const reader = document.documentElement.dataset.user;
const KEPT = "typed ";
const SEEN = ["text_seen", "shown"];
const sent = new WeakSet();
let keeps = Boolean(reader);
const inTab = (act) => {
  try {
    return act(sessionStorage);
  } catch {
    return null; // The browser keeps nothing for pages, or no more.
  }
};
const keyOf = ({ pathname, search }) => `${KEPT}${reader} ${pathname}${search}`;
const entryOf = (key) => inTab((tab) => JSON.parse(tab.getItem(key))) ?? {};
const keep = (key, fields) => inTab((tab) => (fields.length ? tab.setItem(key, JSON.stringify(Object.fromEntries(fields))) : tab.removeItem(key)));
const forget = (ends) => inTab((tab) => Object.keys(tab).filter((key) => key.startsWith(KEPT) && ends(key)).forEach((key) => tab.removeItem(key)));
// Another reader's session has ended in this tab. The session of an administrator who acts as the reader has not.
if (reader && !("impersonated" in document.documentElement.dataset)) forget((key) => !key.startsWith(`${KEPT}${reader} `));
const texts = () => [...document.querySelectorAll("textarea")];
addEventListener("submit", ({ target }) => {
  sent.add(target);
  if (!target.getAttribute("action")?.endsWith("/users/sign_out")) return;
  keeps = false;
  forget(() => true);
});
addEventListener("pagehide", () => {
  if (!keeps) return;
  const typed = texts().filter((field) => field.value !== field.defaultValue);
  const seen = (form) => SEEN.map((name) => form?.elements[name]?.value);
  const entry = (field) => [field.id || field.name, { text: field.value, isSent: sent.has(field.form), seen: seen(field.form) }];
  keep(keyOf(location), typed.map(entry));
});
// Pages that only report an error have no reader, and keep the sent texts.
const forgetSent = () => {
  if (!document.referrer) return;
  const key = keyOf(new URL(document.referrer));
  keep(key, Object.entries(entryOf(key)).filter(([, field]) => !field.isSent));
};
const putBack = () => {
  const entry = entryOf(keyOf(location));
  for (const field of texts()) {
    const typed = entry[field.id || field.name];
    if (!typed || field.value !== field.defaultValue) continue;
    field.value = typed.text;
    SEEN.forEach((name, at) => {
      const hidden = field.form?.elements[name];
      if (hidden && typed.seen[at] != null) hidden.value = typed.seen[at];
    });
    const around = field.closest("details");
    if (around) around.open = true;
  }
};

// Going back shows a page as it was, without a request. Its reader may have signed out since then. The cookie shows the server
// that the script requests such pages again, so that the browser may keep them. Pages for strangers have nothing to hide.
const root = new URL(import.meta.url).pathname.replace(/\/assets\/.*/, "/");
document.cookie = `_service_script=1; path=${root}; SameSite=Lax${location.protocol === "https:" ? "; Secure" : ""}`;
addEventListener("pageshow", ({ persisted }) => {
  if (!reader) return;
  const [way] = performance.getEntriesByType("navigation");
  if (persisted || (way?.type === "back_forward" && way.transferSize === 0)) {
    document.documentElement.hidden = true;
    keeps = false;
    location.reload();
    return;
  }
  if (way?.type === "navigate") forgetSent();
  putBack();
});
