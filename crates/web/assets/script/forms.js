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

// A choice of a filter applies at once. The arrow keys and letters only go through the choices: then Enter applies them.
const FILTERS = "form:is(.switch, .filters)[method=get]:not([data-waits]) select";
let byKey = false;
for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, () => (byKey = false), true);
document.addEventListener("keydown", (event) => {
  if (!event.target.matches(FILTERS)) return;
  byKey = event.key !== "Enter";
  // An open list of choices takes the key first.
  if (!byKey) setTimeout(() => event.target.form.requestSubmit());
}, true);
document.addEventListener("change", ({ target }) => {
  if (!byKey && target.matches(FILTERS)) target.form.requestSubmit();
});

// Control and Enter send the form of a text or a fact. Its main button is the one that sends.
document.addEventListener("keydown", (event) => {
  const { form } = event.target;
  if (event.key !== "Enter" || event.repeat || !(event.ctrlKey || event.metaKey) || event.isComposing || !event.target.matches("textarea, .fact input") || !form) return;
  event.preventDefault();
  const button = [...form.elements].find((one) => one.matches("button.main:not([type=button])"));
  form.requestSubmit(button);
});
