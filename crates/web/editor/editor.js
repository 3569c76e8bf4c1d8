// The editor of files in place of a text area: CodeMirror 6. `build.mjs` makes one file of it and of what it imports.
// The text area stays in the form and has the text, so that the form sends the same bytes as without the editor.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { languageOf } from "./languages.js";

// The colours of code are those of the pages.
const colours = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "hl-keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character, tags.attributeValue, tags.monospace], class: "hl-string" },
  { tag: [tags.comment, tags.meta, tags.quote, tags.docString], class: "hl-comment" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.self, tags.unit, tags.color], class: "hl-number" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.macroName, tags.url, tags.link], class: "hl-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName], class: "hl-function" },
  { tag: [tags.attributeName, tags.propertyName, tags.annotation], class: "hl-attribute" },
  { tag: tags.tagName, class: "hl-tag" },
  { tag: [tags.heading, tags.strong], class: "hl-heading" },
  { tag: tags.inserted, class: "hl-inserted" },
  { tag: tags.deleted, class: "hl-deleted" },
]);

// The properties are those of the style sheet of the pages, so that the editor is light or dark as they are.
const look = EditorView.theme({
  "&": { color: "var(--fg)", backgroundColor: "var(--bg)", border: "1px solid var(--field)", borderRadius: "6px", fontSize: "12.5px", maxInlineSize: "100%", overflow: "hidden", resize: "vertical" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  "&.cm-editor[aria-invalid]": { borderColor: "var(--bad)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--fg)", padding: "8px 0" },
  ".cm-line": { padding: "0 12px" },
  ".cm-gutters": { backgroundColor: "var(--bg)", color: "var(--fg-2)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 10px", minWidth: "5ch" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--bg-1)" },
  ".cm-activeLineGutter": { color: "var(--fg)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--bg-2)", outline: "1px solid var(--edge)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--removed-word)" },
  ".cm-selectionMatch": { backgroundColor: "var(--bg-2)" },
  ".cm-searchMatch": { backgroundColor: "var(--marked)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--added-word)" },
  ".cm-panels": { backgroundColor: "var(--bg-1)", color: "var(--fg)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { padding: "8px 36px 8px 12px", display: "flex", flexWrap: "wrap", gap: "8px", alignItems: "center" },
  ".cm-panel.cm-search br": { flexBasis: "100%" },
  ".cm-panel.cm-search input.cm-textfield": { backgroundColor: "var(--bg)", color: "var(--fg)", border: "1px solid var(--field)", inlineSize: "14rem", margin: "0", fontSize: "13px" },
  ".cm-panel.cm-search button.cm-button": { backgroundImage: "none", backgroundColor: "var(--bg)", border: "1px solid var(--edge)", borderRadius: "6px", margin: "0", fontSize: "13px" },
  ".cm-panel.cm-search label": { display: "inline-flex", gap: "4px", alignItems: "center", margin: "0", fontSize: "13px", fontWeight: "400" },
  ".cm-panel.cm-search [name=close]": { insetBlockStart: "8px", insetInlineEnd: "8px", right: "8px", fontSize: "16px", inlineSize: "24px", color: "var(--fg)" },
});

// Words of the search, as the pages write them.
const words = EditorState.phrases.of({
  next: "Next", previous: "Previous", all: "Select all", "match case": "Match case", regexp: "Regular expression", "by word": "Whole words",
  replace: "Replace", "replace all": "Replace all",
});

// The indentation of the first line that has one.
const unitOf = (text) => {
  const [indent] = text.match(/^(\t|(?: {2}){1,4})(?=\S)/m) ?? ["  "];
  return indent === "\t" ? indent : " ".repeat(Math.min(indent.length, 4));
};

// Puts an editor in the place of a text area. `name` is the field with the path of the file.
export const dress = (field, name) => {
  const { form } = field;
  const label = field.labels[0];
  const { tab, lines } = document.documentElement.dataset;
  const language = new Compartment();
  let timer;
  const keep = () => {
    clearTimeout(timer);
    const text = view.state.doc.toString();
    if (field.value !== text) field.value = text;
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 200);
  };
  const send = () => {
    keep();
    form.requestSubmit([...form.elements].find((one) => one.matches("button.main")));
    return true;
  };
  // Tab indents, so that users of the keyboard have to know the way out.
  const way = "Esc, then Tab leaves the editor";
  const hint = document.createElement("span");
  hint.className = "muted";
  hint.textContent = ` (${way})`;
  const attributes = { "aria-label": label?.firstChild.textContent.trim() ?? "", "aria-description": way, spellcheck: "false", autocapitalize: "off", autocorrect: "off" };
  for (const one of ["aria-invalid", "aria-describedby"]) if (field.hasAttribute(one)) attributes[one] = field.getAttribute(one);
  const view = new EditorView({
    doc: field.value,
    selection: { anchor: field.selectionStart, head: field.selectionEnd },
    extensions: [
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      history(),
      bracketMatching(),
      indentOnInput(),
      search({ top: true }),
      EditorState.tabSize.of(Number(tab) || 4),
      indentUnit.of(unitOf(field.value)),
      lines === undefined ? EditorView.lineWrapping : [],
      syntaxHighlighting(colours),
      look,
      words,
      language.of(languageOf(name.value, field.value)),
      keymap.of([{ key: "Mod-Enter", run: send }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
      EditorView.contentAttributes.of(attributes),
      EditorView.updateListener.of((update) => update.docChanged && later()),
    ],
  });
  label?.append(hint);
  // The rest of the page stays where it is.
  view.dom.style.blockSize = `${field.offsetHeight}px`;
  const hadFocus = document.activeElement === field;
  field.after(view.dom);
  field.hidden = true;
  if (hadFocus) view.focus();
  view.dispatch({ scrollIntoView: true });
  label?.addEventListener("click", () => view.focus());
  view.contentDOM.addEventListener("blur", keep);
  form.addEventListener("submit", keep, true);
  addEventListener("pagehide", keep, true);
  name.addEventListener("change", () => view.dispatch({ effects: language.reconfigure(languageOf(name.value, field.value)) }));
  // Another part of the page has set the text.
  field.addEventListener("input", () => {
    if (field.value === view.state.doc.toString()) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: field.value } });
  });
  return view;
};
