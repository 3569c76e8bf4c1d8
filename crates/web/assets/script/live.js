// Forms that search answer while one types: data-live names the element that shows the results. The server sends the same results
// as for the page that the form leads to. Enter opens the first result. If a request fails, the form still works.
const LIVE = "form[data-live]";
const PAUSE = 120;
const asked = new WeakMap();
const addressOf = (form) => {
  const fields = new URLSearchParams(new FormData(form));
  return `${form.action.split("?")[0]}?${fields}`;
};
// The request of a form: its address, and whether its results are shown, once they have come.
const ask = async (form, address) => {
  const answer = await fetch(address, FRAGMENT).catch(() => null);
  const html = answer?.ok && !answer.redirected ? await answer.text().catch(() => null) : null;
  // Only the answer to what is asked now is shown. What failed is asked again.
  if (asked.get(form)?.address !== address) return false;
  if (html === null) asked.delete(form);
  else {
    const place = document.getElementById(form.dataset.live);
    place?.replaceChildren(parsed(html));
    // Screen readers read this element, which was there before.
    const found = place?.querySelectorAll("a[href]").length;
    count.textContent = place?.querySelector("[role=status]")?.textContent.trim() || `${found} ${found === 1 ? "result" : "results"}`;
  }
  return html !== null;
};
const search = (form) => {
  const address = addressOf(form);
  if (asked.get(form)?.address !== address) asked.set(form, { address, shown: ask(form, address) });
  return asked.get(form).shown;
};
const waiting = new WeakMap();
document.addEventListener("input", ({ target }) => {
  const form = target.closest?.(LIVE);
  if (!form) return;
  clearTimeout(waiting.get(form));
  waiting.set(form, setTimeout(search, target.matches("[type=search]") ? PAUSE : 0, form));
});
document.addEventListener("keydown", async (event) => {
  const form = event.target.closest?.(LIVE);
  if (event.key !== "Enter" || event.isComposing || !form || !event.target.matches("[type=search]") || !event.target.value) return;
  event.preventDefault();
  clearTimeout(waiting.get(form));
  const first = (await search(form)) && document.getElementById(form.dataset.live)?.querySelector("a[href]");
  if (first) first.click();
  else form.requestSubmit();
});

// A field with suggestions (data-suggests has the address) gets those that fit what was typed.
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("input[data-suggests]")) return;
  clearTimeout(waiting.get(target));
  waiting.set(target, setTimeout(async () => {
    const typed = target.value;
    const answer = await fetch(`${target.dataset.suggests}${encodeURIComponent(typed)}`, FRAGMENT).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const names = [...parsed(await answer.text()).querySelectorAll("a[href] bdi")].map((name) => new Option(name.textContent, name.textContent));
    if (target.value === typed) target.list?.replaceChildren(...names);
  }, PAUSE));
});
