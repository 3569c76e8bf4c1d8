// A template that is chosen fills fields of the page (data-fills), the last of which is the text. Typed text is replaced only if the
// user agrees.
const fill = async (form) => {
  const fields = form.dataset.fills.split(" ").map((id) => document.getElementById(id));
  const text = fields.at(-1);
  if (text.value !== text.defaultValue && !confirm("Replace your text?")) return form.reset();
  const address = addressOf(form);
  const answer = await fetch(address).catch(() => null);
  const page = answer?.ok && parsed(await answer.text());
  if (!page || address !== addressOf(form)) return;
  for (const field of fields) {
    field.value = field.defaultValue = page.getElementById(field.id).value;
    field.dispatchEvent(new Event("input"));
  }
  form.querySelectorAll("option").forEach((one) => (one.defaultSelected = one.selected));
};
for (const kind of ["change", "submit"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.closest("form[data-fills]");
    if (!form) return;
    event.preventDefault();
    fill(form);
  });
}

// The editor is a file of its own, for devices with a mouse. Elsewhere the keyboard of the device suits the text area better.
addEventListener("pageshow", async () => {
  const field = document.querySelector("textarea[data-editor]");
  if (!field || !matchMedia("(pointer: fine)").matches) return;
  const editor = await import(field.dataset.editor).catch(() => null);
  editor?.dress(field, document.getElementById("path"));
}, { once: true });
