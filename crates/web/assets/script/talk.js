// Comments, replies, reactions and their changes are sent without a load. The answer is the part of the page that has changed. If
// one is refused, the text stays, and the reason stands above it.
const IN_TALK = /\/(issues|merge_requests)\/\d+\/(notes|drafts|discussions|toggle_award)/;
const ON_LINE = "form:has(> [name=line])";
const sending = new WeakSet();
const focusOn = (one) => {
  if (!one?.matches("a, button, summary, textarea")) one?.setAttribute("tabindex", "-1");
  one?.focus();
};
const fragment = (html) => {
  const content = parsed(html);
  content.querySelectorAll(".attach").forEach(prepare);
  return content;
};
const refuse = (form, place, reason) => {
  document.getElementById("problems")?.remove();
  const alert = reason.id ? reason : document.createElement("p");
  if (alert !== reason) Object.assign(alert, { id: "problems", className: "alert", role: "alert", textContent: reason });
  const field = form.querySelector("textarea");
  (field ? form : place).prepend(alert);
  if (!field) return;
  sent.delete(form);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", "problems");
  field.focus();
};
// A line without comments has no row for them.
const leave = (beside) => {
  const row = beside.closest("tr.talk");
  const isEmpty = row && !row.cells[0].firstElementChild;
  focusOn((isEmpty && row.previousElementSibling.querySelector("a")) || beside);
  if (isEmpty) row.remove();
};
const settle = (form, submitter, place, content) => {
  const [pending, box] = [content, document].map((one) => one.querySelector("#pending"));
  pending?.remove();
  if (pending && box) {
    box.hidden = pending.hidden;
    box.querySelector("h2").textContent = pending.textContent;
  }
  const finish = document.getElementById("finish");
  if (pending && finish) {
    finish.hidden = pending.hidden;
    finish.querySelector(".count").textContent = Number.parseInt(pending.textContent, 10);
  }
  if (place.matches(".note-card:not(.draft)") && content.getElementById(place.id)) content.replaceChildren(content.getElementById(place.id));
  // Texts that were typed elsewhere in the thread stay, and so do the lines that it is about.
  for (const field of place.querySelectorAll("textarea")) {
    if (field.form === form || field.value === field.defaultValue) continue;
    const old = field.closest(".note-card, .reply");
    content.querySelector(old.id ? `#${old.id}` : ".reply")?.replaceWith(old);
  }
  const shown = [...content.children];
  const last = shown.at(-1);
  // The answer does not have the lines that it is about, nor the way to the next discussion.
  for (const part of [".about", ".around", ".fold"]) {
    const [old, now] = [place, last].map((one) => one?.querySelector(part));
    if (old?.open && now) now.open = true;
    else if (old && !old.matches("details")) now?.replaceWith(old);
  }
  const beside = place.previousElementSibling ?? place.parentElement;
  if (place.id === "comment") {
    (last?.matches(".draft") ? box : document.querySelector("[aria-labelledby=talk]")).append(content);
    const field = form.elements["note[note]"];
    field.defaultValue = "";
    form.reset();
    form.querySelector("#problems")?.remove();
    field.removeAttribute("aria-invalid");
    if (!last) field.focus();
  } else place.replaceWith(content);
  if (!last) {
    if (place.id !== "comment") leave(beside);
    return;
  }
  const like = (one) => `${one.getAttribute("formaction")} ${one.ariaLabel?.split(",")[0]}`;
  const twin = form.id === "buttons" && [...last.querySelectorAll("button")].find((one) => like(one) === like(submitter) && one.checkVisibility());
  focusOn(last.querySelector("[aria-invalid]") || twin || last.querySelector(":scope:is(.awards, .resolved) summary") || [...last.querySelectorAll(".note-card")].at(-1) || last);
};
// A command changes more than the conversation. The answer is then the page.
const follow = (form, submitter, place, address, page) => {
  if (!isOf(address) || new URL(address).search !== location.search || !page.querySelector(".timeline")) {
    location.assign(address);
    return;
  }
  for (const part of [".facts", ".verdict"]) page.querySelector(part) && document.querySelector(part)?.replaceWith(page.querySelector(part));
  const now = place.id && page.getElementById(place.id);
  addEntries(page);
  tell(page);
  const content = document.createDocumentFragment();
  if (now && place.id !== "comment") content.append(now);
  settle(form, submitter, place, content);
};
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  const from = form.id === "buttons" ? submitter : form;
  const place = from?.closest(`.awards, .draft, #comment, ${ON_LINE}, .note-card > form:not([data-tasks])`) ?? from?.closest(".thread");
  if (!place || event.defaultPrevented || !IN_TALK.test(address) || /^(close|reopen|preview)$/.test(submitter?.value)) return;
  event.preventDefault();
  if (sending.has(place)) return;
  sending.add(place);
  const answer = await fetch(address, { ...FRAGMENT, method: "POST", body: new URLSearchParams(new FormData(form, submitter)) }).catch(() => null);
  const html = await answer?.text().catch(() => null);
  sending.delete(place);
  const content = html == null ? null : fragment(html);
  const of = place.matches(".note-card > form") ? place.parentElement : place;
  if (answer?.redirected && content) follow(form, submitter, of, answer.url, content);
  else if (content && (answer.ok || answer.status === 409)) settle(form, submitter, of, content);
  else refuse(form, of, content?.querySelector("#problems") ?? content?.querySelector("main p")?.textContent ?? "This could not be sent. Try again.");
});

// The form of a comment is opened at its line, and that of a text in its place.
const openLine = (id) => {
  const [blank, at, open] = ["line", id, `line-comment${id}`].map((one) => document.getElementById(one));
  const [, old, now] = id.match(/_(\d+)_(\d+)$/) ?? [];
  if (open) open.focus();
  if (!blank || !at || !now || open) return Boolean(open);
  const row = at.closest("tr");
  const { path, oldPath = path } = at.closest("[data-path]").dataset;
  let talk = row.nextElementSibling;
  if (!talk?.matches(".talk")) {
    talk = document.createElement("tr");
    talk.className = "talk";
    talk.insertCell().colSpan = row.cells.length;
    row.after(talk);
  }
  const form = document.importNode(blank.content.querySelector("form"), true);
  const position = { old_path: oldPath, new_path: path, old_line: Number(old) || "", new_line: Number(now) || "" };
  for (const [name, value] of Object.entries(position)) form.elements[`position[${name}]`].value = value;
  form.elements.line.value = id;
  // A removed line is not there to be replaced. A fence is longer than those of the line.
  const proposal = form.elements.suggestion;
  const text = row.cells[row.cells.length - 1].textContent;
  const fence = "`".repeat(Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  if (Number(now)) proposal.value = `${fence}suggestion:-0+0\n${text}\n${fence}\n`;
  else proposal.remove();
  const field = form.querySelector("textarea");
  form.querySelector("label").htmlFor = field.id += id;
  form.querySelectorAll(".attach").forEach(prepare);
  talk.cells[0].append(form);
  field.focus();
  return true;
};
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-part], td > a[href*='comment=']");
  if (!link || !isPlain(event)) return;
  const id = link.hash.slice(1);
  const form = link.closest(ON_LINE);
  if (!link.matches("[data-part]")) {
    if (openLine(id)) event.preventDefault();
    return;
  }
  event.preventDefault();
  if (form) {
    const beside = form.parentElement;
    form.remove();
    leave(beside);
    return;
  }
  const answer = await fetch(link.href, FRAGMENT).catch(() => null);
  const now = answer?.ok && !answer.redirected ? fragment(await answer.text()).getElementById(id) : null;
  if (!now) {
    location.assign(link.href);
    return;
  }
  document.getElementById(id).replaceWith(now);
  focusOn(now.querySelector("textarea") ?? now);
});
// A second click, or a key that is held, sends nothing once more.
document.addEventListener("click", (event) => event.detail > 1 && event.target.closest?.("button:not([type=button])") && event.preventDefault(), true);
document.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && event.target.matches("button") && event.preventDefault());
