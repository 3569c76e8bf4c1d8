// A file that is chosen, pasted or dropped becomes a line of the text. The result is shown beside the link. Its element exists
// from the start, so that screen readers announce it. An answer gets the link of the comment form, or of the page without one.
const prepare = (link) => {
  link.setAttribute("role", "button");
  const said = document.createElement("span");
  said.className = "said muted";
  said.setAttribute("role", "status");
  link.after(said);
  return link;
};
document.querySelectorAll(".attach").forEach(prepare);
const linkOf = (field) => {
  const own = field.parentElement.querySelector(".attach");
  const ofPage = () => document.querySelector("#comment .attach") ?? document.getElementById("attach")?.content.querySelector(".attach");
  const shared = field.closest(".reply") && ofPage();
  if (own || !shared) return own;
  field.after(shared.cloneNode(true));
  return prepare(field.nextElementSibling);
};
document.addEventListener("focusin", ({ target }) => target.matches(".reply textarea") && linkOf(target));
const attach = async (field, link, files) => {
  const said = link.nextElementSibling;
  const headers = { Accept: "application/json", "X-CSRF-Token": document.querySelector("meta[name=csrf-token]").content };
  for (const file of files) {
    said.textContent = `Uploading ${file.name}…`;
    const body = new FormData();
    body.append("file", file);
    const answer = await fetch(link.href.replace(/\/new$/, ""), { method: "POST", body, headers }).catch(() => null);
    const read = await answer?.json().catch(() => null);
    if (!read?.link) {
      said.textContent = read?.message ?? `${file.name} could not be attached.`;
      return;
    }
    put(field, `${read.link.markdown}\n`, field.selectionEnd);
  }
  said.textContent = `Attached: ${files.map(({ name }) => name).join(", ")}`;
};
const filesIn = (data) => (data && !data.types.includes("text/plain") ? [...data.files] : []);
document.addEventListener("click", (event) => {
  const link = event.target.closest(".attach");
  if (!link) return;
  event.preventDefault();
  const chosen = document.createElement("input");
  chosen.type = "file";
  chosen.multiple = true;
  chosen.addEventListener("change", () => attach(link.parentElement.querySelector("textarea"), link, [...chosen.files]));
  chosen.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !event.target.matches(".attach")) return;
  event.preventDefault();
  event.target.click();
});
for (const [kind, data] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) {
  document.addEventListener(kind, (event) => {
    const files = filesIn(event[data]);
    const link = event.target.matches("textarea") && files.length && linkOf(event.target);
    if (!link) return;
    event.preventDefault();
    attach(event.target, link, files);
  });
}
document.addEventListener("dragover", (event) => {
  if (event.target.matches?.("textarea") && event.dataTransfer.types.includes("Files") && linkOf(event.target)) event.preventDefault();
});
