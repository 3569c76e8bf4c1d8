// Completions in fields for Markdown: people, issues, merge requests, labels, milestones, emoji, and quick actions. The focus stays
// in the field, which names the current entry of the list.
const KINDS = { "@": "members", "#": "issues", "!": "merge_requests", "~": "labels", "%": "milestones", ":": "emojis", "/": "commands" };
const BEGUN = /(?:^|[\s(])([@#!~%:])("[^"\n]*|[^\s@#!~%:"`]*)$/u;
const SHOWN = 8;
const quoted = (name) => (/^[\w.-]+$/u.test(name) ? name : `"${name}"`);
// The text of an entry in a text, its words in the list, and what the list says beside them.
const READ = {
  "@": ({ username, name }) => [`@${username}`, `@${username}`, name],
  "#": ({ iid, title }) => [`#${iid}`, `#${iid}`, title],
  "!": ({ iid, title }) => [`!${iid}`, `!${iid}`, title],
  "~": ({ title }) => [`~${quoted(title)}`, title, ""],
  "%": ({ title }) => [`%${quoted(title)}`, title, ""],
  ":": ({ name, emoji }) => [`:${name}:`, emoji, `:${name}:`],
  "/": ({ name, params, description }) => [`/${name}`, `/${name}`, [...params, description].join(" · ")],
};
const list = document.createElement("ul");
list.className = "complete";
list.id = "complete";
list.hidden = true;
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Suggestions");
const count = document.createElement("span");
count.className = "hidden";
count.setAttribute("role", "status");
document.body.append(list, count);
let open = null; // The field, the place of the word in it, and the entries.

const begunIn = (field) => {
  if (field.selectionStart !== field.selectionEnd) return null;
  if (isInFence(field)) return null;
  const text = field.value.slice(0, field.selectionStart);
  const command = text.match(/(?:^|\n)\/(\w*)$/u);
  if (command) return { sign: "/", word: command[1], from: text.length - command[1].length - 1 };
  const [, sign, word] = text.match(BEGUN) ?? [];
  if (!sign || (sign === ":" && word.length < 2)) return null;
  return { sign, word: word.replace(/^"/, ""), from: text.length - word.length - 1 };
};
const close = () => {
  if (!open) return;
  for (const name of ["aria-controls", "aria-activedescendant"]) open.field.removeAttribute(name);
  open = null;
  list.hidden = true;
  list.replaceChildren();
  count.textContent = "";
};

// The place of a character of a field in the page: that of the same character in a copy of the field.
const placeOf = (field, at) => {
  const style = getComputedStyle(field);
  const copy = document.createElement("div");
  for (const name of ["font", "letterSpacing", "lineHeight", "padding", "border", "boxSizing", "tabSize", "textAlign", "direction"]) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "anywhere", inlineSize: `${field.clientWidth}px` });
  copy.textContent = field.value.slice(0, at);
  const mark = document.createElement("span");
  mark.textContent = "|";
  copy.append(mark);
  document.body.append(copy);
  const box = field.getBoundingClientRect();
  const place = { x: box.left + scrollX + mark.offsetLeft, y: box.top + scrollY + mark.offsetTop - field.scrollTop + mark.offsetHeight };
  copy.remove();
  return place;
};
const choose = (index) => {
  open.at = (index + open.entries.length) % open.entries.length;
  [...list.children].forEach((one, place) => one.setAttribute("aria-selected", String(place === open.at)));
  list.children[open.at].scrollIntoView({ block: "nearest" });
  open.field.setAttribute("aria-activedescendant", `complete-${open.at}`);
};
const accept = () => {
  const { field, from, entries, at } = open;
  const [text] = entries[at];
  close();
  put(field, `${text} `, from, field.selectionStart);
};
const showList = (field, { sign, from, word }, found) => {
  const entries = found.slice(0, SHOWN).map((one) => [...READ[sign](one), one]);
  if (!entries.length) return close();
  if (open && open.field !== field) close();
  open = { field, from, word, entries, at: 0 };
  list.replaceChildren(...entries.map(([, words, beside, { color }], index) => {
    const row = document.createElement("li");
    row.id = `complete-${index}`;
    row.setAttribute("role", "option");
    if (color) {
      const swatch = document.createElement("span");
      swatch.className = "swatch";
      swatch.style.backgroundColor = color;
      row.append(swatch, " ");
    }
    const name = document.createElement("strong");
    name.textContent = words;
    const more = document.createElement("bdi");
    more.className = "muted";
    more.textContent = beside;
    row.append(name, " ", more);
    // The field keeps the focus.
    row.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      open.at = index;
      accept();
    });
    return row;
  }));
  list.hidden = false;
  const { x, y } = placeOf(field, from);
  list.style.insetBlockStart = `${y + 4}px`;
  list.style.left = `${Math.max(8, Math.min(x, scrollX + document.documentElement.clientWidth - list.offsetWidth - 8))}px`;
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "complete");
  choose(0);
  count.textContent = `${entries.length} ${entries.length === 1 ? "suggestion" : "suggestions"}`;
  return undefined;
};

const answers = new Map();
const answerOf = (address) => {
  if (!answers.has(address)) {
    const ask = fetch(address, { headers: { Accept: "application/json" } }).then((answer) => (answer.ok && !answer.redirected ? answer.json() : Promise.reject()));
    answers.set(address, ask.catch(() => {
      answers.delete(address);
      return [];
    }));
  }
  return answers.get(address);
};
const sourceOf = (field, { sign, word }) => {
  const [, kind, number] = location.pathname.match(/\/(issues|merge_requests)\/(\d+)/) ?? [];
  const about = number && (sign === "@" || sign === "~") ? { type: kind === "issues" ? "Issue" : "MergeRequest", type_id: number } : {};
  // The list of the quick actions is always complete.
  const fields = new URLSearchParams({ ...(sign === "/" || !word ? {} : { search: word }), ...about });
  return `${projectOf(field)}/autocomplete_sources/${KINDS[sign]}?${fields}`;
};
let pause = 0;
const suggest = async (field) => {
  const begun = begunIn(field);
  if (!begun || !projectOf(field)) return close();
  const found = await answerOf(sourceOf(field, begun));
  const now = begunIn(field);
  // Only the word that is there now has a list.
  if (document.activeElement !== field || now?.from !== begun.from || now.word !== begun.word) return undefined;
  const fits = ({ name, aliases = [] }) => [name, ...aliases].some((one) => one.startsWith(begun.word));
  return showList(field, begun, begun.sign === "/" ? found.filter(fits) : found);
};
document.addEventListener("input", ({ target, inputType }) => {
  if (!isText(target) || !dressed.has(target)) return;
  clearTimeout(pause);
  if (inputType === "insertFromPaste" || !begunIn(target)) close();
  else pause = setTimeout(suggest, 80, target);
});
// This is before other keys of the field, and before those of menus.
document.addEventListener("keydown", (event) => {
  if (!open || event.target !== open.field || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  if (key === "ArrowDown" || key === "ArrowUp") {
    choose(open.at + (key === "ArrowDown" ? 1 : -1));
    open.isChosen = true;
  }
  else if (key === "Enter" || (key === "Tab" && !event.shiftKey)) {
    // A word that is whole, or newer than the list, stays as it was typed. A sign alone does so, unless an entry was chosen.
    const { field, from, word, entries, at, isChosen } = open;
    if (!word && !isChosen) return close();
    if (begunIn(field)?.word !== word || field.value.slice(from, field.selectionStart) === entries[at][0]) return close();
    accept();
  }
  else if (key === "Escape") close();
  else return undefined;
  event.preventDefault();
  event.stopImmediatePropagation();
  return undefined;
}, true);
document.addEventListener("focusout", ({ target }) => target === open?.field && close());
document.addEventListener("selectionchange", () => open && begunIn(open.field)?.from !== open.from && close());
