// Facts, moves of cards, and what the user wants of a project or group, are sent without a load. The answer is the page with their new state.
const stay = (toast) => {
  let timer;
  const wait = () => (timer = setTimeout(() => toast.remove(), 5_000));
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", wait);
  wait();
};
document.querySelectorAll("p.flash").forEach(stay);

const tell = (page) => {
  const toast = page.querySelector("p.flash");
  if (!toast) return;
  document.querySelector("header.site").after(toast);
  stay(toast);
};

// The conversation gets the entries that it does not have. What was typed in it stays.
const addEntries = (page) => {
  const [old, now] = [document, page].map((one) => one.querySelector("[aria-labelledby=talk]"));
  if (!old || !now) return;
  offerCopies(page);
  const entries = (talk) => [...talk.querySelectorAll(":scope > .thread")];
  const form = old.querySelector("#comment");
  for (const entry of entries(now).slice(entries(old).length)) form ? form.before(entry) : old.append(entry);
  document.querySelector(".stand")?.replaceWith(page.querySelector(".stand"));
};
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  const part = [".facts", ".place .crumbs", ".board"].find((one) => form.closest(one));
  if (!part || event.defaultPrevented || form.getAttribute("method") !== "post" || form.matches("[data-loads]")) return;
  event.preventDefault();
  // The next move is made from what the answer to the last one shows.
  const whole = form.closest(part);
  if (part === ".board" && whole.ariaBusy) return;
  whole.ariaBusy = "true";
  const address = form.getAttribute("action");
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(new FormData(form, submitter)) }).catch(() => null);
  const isHere = part !== ".facts" || !answer?.redirected || isOf(answer.url);
  const html = answer && (answer.ok || answer.status === 422) && isHere ? await answer.text().catch(() => null) : null;
  const page = html && parsed(html);
  const now = page?.querySelector(part);
  if (!now && answer?.redirected) {
    location.assign(answer.url);
  } else if (!now) {
    form.dataset.loads = "";
    form.requestSubmit(submitter);
  } else {
    const { scrollLeft } = whole;
    const problems = page.querySelector("#problems");
    whole.replaceWith(now);
    if (part === ".board") {
      document.querySelector("#problems")?.remove();
      if (problems) now.before(problems);
    }
    now.scrollLeft = scrollLeft;
    if (part === ".facts") addEntries(page);
    const card = form.closest("[data-card]")?.dataset.card;
    const fact = now.querySelector(card ? `[data-card="${card}"]` : `[id="fact_${address.replace(/\?.*|.*\//g, "")}"]`) ?? now;
    (now.querySelector("[aria-invalid]") ?? fact.querySelector("summary, button"))?.focus({ preventScroll: !card });
    tell(page);
  }
});
