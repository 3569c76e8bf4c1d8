// Fields for Markdown: keys that format, a toolbar, and the preview in place of the field. A field is one of these if files can
// be attached to it; the link to attach names the project.
const isText = (target) => target.matches?.("textarea");
const projectOf = (field) => linkOf(field)?.href.replace(/\/uploads\/new$/, "");
// Changes a part of a text so that the browser can undo it.
const put = (field, text, from = field.selectionStart, to = field.selectionEnd) => {
  field.focus();
  field.setSelectionRange(from, to);
  if (from === to && !text) return;
  if (document.execCommand(text ? "insertText" : "delete", false, text)) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
const linesOf = ({ value, selectionStart, selectionEnd }) => {
  const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const end = value.indexOf("\n", Math.max(from, selectionEnd - (selectionEnd > selectionStart ? 1 : 0)));
  const to = end < 0 ? value.length : end;
  return { from, to, lines: value.slice(from, to).split("\n") };
};
const changeLines = (field, change) => {
  const { from, to, lines } = linesOf(field);
  const { selectionStart: begin, selectionEnd: end } = field;
  const changed = lines.map(change);
  const text = changed.join("\n");
  put(field, text, from, to);
  if (begin !== end) field.setSelectionRange(from, from + text.length);
  else field.setSelectionRange(...Array(2).fill(Math.max(from, begin + changed[0].length - lines[0].length)));
};
const ITEM = /^(\s*)([-*+]|(\d{1,9})([.)]))( +)(\[[ xX]\] +)?/;
const isInFence = (field) => (field.value.slice(0, linesOf(field).from).match(/^ {0,3}(```|~~~)/gm) ?? []).length % 2 === 1;

// Enter begins the next item of a list. An item without words ends the list.
const nextItem = (field) => {
  const { from, lines } = linesOf(field);
  const at = field.selectionStart;
  if (at !== field.selectionEnd || isInFence(field)) return false;
  const [whole, indent, bullet, number, end, space, task] = lines[0].match(ITEM) ?? [];
  if (!whole || at < from + whole.length) return false;
  if (lines[0].length === whole.length) put(field, "", from, from + whole.length);
  else put(field, `\n${indent}${number ? `${Number(number) + 1}${end}` : bullet}${space}${task ? "[ ] " : ""}`);
  return true;
};

// Tab indents items of lists, code, and several lines. Elsewhere, and after Escape, it leaves the field.
const indents = (field) => {
  const { lines } = linesOf(field);
  return lines.length > 1 || ITEM.test(lines[0]) || isInFence(field);
};
const indent = (field, back) => changeLines(field, (line) => (back ? line.replace(/^( {1,2}|\t)/, "") : `  ${line}`));

const around = (mark, usual) => (field) => {
  const { value, selectionStart: from, selectionEnd: to } = field;
  const size = mark.length;
  const text = value.slice(from, to);
  if (value.slice(from - size, from) === mark && value.slice(to, to + size) === mark) {
    put(field, text, from - size, to + size);
    field.setSelectionRange(from - size, to - size);
    return;
  }
  put(field, mark + (text || usual) + mark);
  field.setSelectionRange(from + size, from + size + (text || usual).length);
};
const before = (prefix, known) => (field) => {
  const { lines } = linesOf(field);
  const has = lines.every((line) => known.test(line));
  changeLines(field, (line, index) => (has ? line.replace(known, "") : (typeof prefix === "string" ? prefix : prefix(index)) + line));
};
const code = (field) => {
  const text = field.value.slice(field.selectionStart, field.selectionEnd);
  if (!text.includes("\n")) return around("`", "code")(field);
  return put(field, `\`\`\`\n${text.replace(/\n$/, "")}\n\`\`\`\n`);
};
const link = (field) => {
  const from = field.selectionStart;
  const text = field.value.slice(from, field.selectionEnd);
  put(field, `[${text || "text"}](url)`);
  const at = text ? from + text.length + 3 : from + 1;
  field.setSelectionRange(at, at + (text ? 3 : 4));
};
const ACTIONS = [
  ["bold", "Bold", around("**", "bold"), "b"],
  ["italic", "Italic", around("_", "italic"), "i"],
  ["heading", "Heading", before("### ", /^#{1,6} /)],
  ["link", "Link", link, "k"],
  ["quote", "Quote", before("> ", /^> ?/)],
  ["code", "Code", code, "e"],
  ["list", "List", before("- ", /^[-*+] (?!\[)/)],
  ["list-ordered", "Numbered list", before((index) => `${index + 1}. `, /^\d+[.)] /)],
  ["list-checks", "Task list", before("- [ ] ", /^[-*+] \[[ xX]\] /)],
  // Only in comments on lines, whose form has the block.
  ["file-diff", "Suggest a change", (field) => put(field, (field.value && "\n") + field.form.elements.suggestion.value)],
];

document.addEventListener("keydown", (event) => {
  const { key, target: field } = event;
  if (!isText(field) || event.isComposing || event.defaultPrevented) return;
  const leaves = field.dataset.leaves === "1";
  if (key !== "Shift") delete field.dataset.leaves;
  if (key === "Escape") field.dataset.leaves = "1";
  if (!dressed.has(field)) return;
  const hasControl = (event.ctrlKey || event.metaKey) && !event.altKey;
  const action = hasControl && !event.shiftKey && ACTIONS.find(([, , , letter]) => letter === key);
  const plain = !hasControl && !event.altKey;
  if (action) action[2](field);
  else if (key === "Enter" && plain && !event.shiftKey && nextItem(field)) field.scrollTop += 0;
  else if (key === "Tab" && plain && !leaves && indents(field)) indent(field, event.shiftKey);
  else return;
  event.preventDefault();
});

// Icons are of the same file as those of the page.
const iconsAt = document.querySelector("svg use")?.getAttribute("href")?.split("#")[0];
const icon = (name) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.classList.add("icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "use"));
  svg.firstChild.setAttribute("href", `${iconsAt}#${name}`);
  return svg;
};
const button = (words, act, name) => {
  const made = document.createElement("button");
  made.type = "button";
  if (name && iconsAt) {
    made.className = "icon-button";
    made.title = words;
    made.setAttribute("aria-label", words);
    made.append(icon(name));
  } else made.textContent = words;
  made.addEventListener("click", act);
  return made;
};

// Shows the rendered text in place of the field.
const preview = async (field, shown) => {
  const headers = { Accept: "application/json", "X-CSRF-Token": document.querySelector("meta[name=csrf-token]")?.content ?? "" };
  const text = field.value;
  const body = new URLSearchParams({ text });
  shown.textContent = "…";
  const answer = field.value.trim() ? await fetch(`${projectOf(field)}/preview_markdown`, { method: "POST", body, headers }).catch(() => null) : null;
  const read = await answer?.json().catch(() => null);
  // An older answer does not replace a newer one.
  if (field.value !== text) return;
  if (read?.body !== undefined) shown.replaceChildren(parsed(read.body));
  else shown.textContent = field.value.trim() ? "The preview could not be loaded." : "Nothing to preview.";
};
const dressed = new WeakSet();
const dress = (field) => {
  if (dressed.has(field) || !projectOf(field)) return;
  dressed.add(field);
  const bar = document.createElement("span");
  bar.className = "text-bar";
  const shown = document.createElement("div");
  shown.className = "preview markdown";
  shown.dir = "auto";
  shown.hidden = true;
  shown.setAttribute("role", "region");
  shown.setAttribute("aria-label", "Preview");
  const tools = document.createElement("span");
  tools.className = "tools";
  tools.setAttribute("role", "toolbar");
  tools.setAttribute("aria-label", "Format");
  const show = (isWritten) => {
    field.hidden = !isWritten;
    shown.hidden = isWritten;
    tools.hidden = !isWritten;
    write.setAttribute("aria-pressed", String(isWritten));
    read.setAttribute("aria-pressed", String(!isWritten));
    if (isWritten) field.focus();
    else preview(field, shown);
  };
  const write = button("Write", () => show(true));
  const read = button("Preview", () => show(false));
  write.setAttribute("aria-pressed", "true");
  read.setAttribute("aria-pressed", "false");
  const modes = document.createElement("span");
  modes.className = "segmented";
  modes.append(write, read);
  tools.append(...ACTIONS.slice(0, field.form?.elements.suggestion ? undefined : -1).map(([name, words, act]) => button(words, () => act(field), name)));
  // The arrow keys go through the toolbar, which is one stop for Tab.
  const all = [...tools.children];
  all.forEach((one, index) => (one.tabIndex = index ? -1 : 0));
  tools.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = all.at((all.indexOf(event.target) + step) % all.length);
    all.forEach((one) => (one.tabIndex = one === next ? 0 : -1));
    next.focus();
  });
  bar.append(modes, tools);
  field.before(bar);
  field.after(shown);
  field.addEventListener("invalid", () => field.hidden && show(true));
  field.form?.addEventListener("reset", () => show(true));
  // The preview of the field is in the place of that of another page.
  for (const one of field.form?.querySelectorAll("button[name=action]:is([value=preview],[value=suggest])") ?? []) one.hidden = true;
};
const dressWithin = (place) => place.querySelectorAll("textarea").forEach((field) => field.checkVisibility?.() === false || dress(field));
dressWithin(document);
document.addEventListener("toggle", ({ target }) => target.open && dressWithin(target), true);
document.addEventListener("focusin", ({ target }) => isText(target) && dress(target));
