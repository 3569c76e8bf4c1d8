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
  for (const id of Object.keys(entry)) if (id.startsWith("line-comment")) openLine(id.slice(12));
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
