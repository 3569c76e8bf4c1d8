// Safe HTML of this server, which is the only HTML that the policy of the pages lets through.
const policy = window.trustedTypes?.createPolicy("tenon", { createHTML: (html) => html });
const parsed = (html) => {
  const holder = document.createElement("template");
  holder.innerHTML = policy ? policy.createHTML(html) : html;
  return holder.content;
};
// Pages are served with and without `/-/` behind the path of a project.
const isOf = (address) => new URL(address).pathname.replace("/-/", "/") === location.pathname.replace("/-/", "/");
const FRAGMENT = { headers: { "X-Fragment": "1" } };
const isPlain = (event) => !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

// Lines that a difference leaves out are inserted between its lines. If that fails, the link still leads to them.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.more");
  if (!link || !isPlain(event)) return;
  event.preventDefault();
  const answer = await fetch(link.href, FRAGMENT).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    location.assign(link.href);
    return;
  }
  const content = parsed(await answer.text());
  const first = content.firstElementChild;
  const row = link.closest("tr");
  if (link.matches(".files")) {
    document.querySelector("table.files tbody")?.replaceChildren(content);
    if (!document.querySelector("table.files .late")) link.parentElement.remove();
  } else if (row) row.replaceWith(content);
  else {
    link.previousElementSibling?.querySelector("tbody")?.append(content);
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
