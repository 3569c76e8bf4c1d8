
// Buttons that copy a text, or the lines of a file. They are hidden if no script runs.
const offerCopies = (place) => {
  for (const button of navigator.clipboard ? place.querySelectorAll("[data-copy-text], [data-copy-lines]") : []) button.hidden = false;
};
{
  const linesOfPage = () => [...document.querySelectorAll("table.code > tbody > tr > td:last-child")].map(({ textContent }) => `${textContent}\n`).join("");
  offerCopies(document);
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("[data-copy-text], [data-copy-lines]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copyText ?? linesOfPage());
    const name = button.getAttribute("aria-label");
    if (name === "Copied") return;
    button.setAttribute("aria-label", "Copied");
    button.title = "Copied";
    setTimeout(() => {
      button.setAttribute("aria-label", name);
      button.title = name;
    }, 2_000);
  });
}

// Ranges of lines (#L22-27). A click on a number with the shift key extends the marked line to a range.
{
  const ends = (hash) => {
    const [, one, other] = hash.match(/^#L(\d+)(?:-L?(\d+))?$/) ?? [];
    return one ? [Number(one), Number(other ?? one)].sort((a, b) => a - b) : null;
  };
  const row = (number) => document.getElementById(`L${number}`);
  const mark = () => {
    for (const marked of document.querySelectorAll("tr.marked")) marked.classList.remove("marked");
    const [first, last] = ends(location.hash) ?? [];
    if (first === last) return null;
    for (let number = first; number <= last && row(number); number += 1) row(number).classList.add("marked");
    return row(first);
  };
  let stays = false;
  const show = () => {
    const first = mark();
    if (!stays) first?.scrollIntoView({ block: "center" });
    stays = false;
  };
  show();
  addEventListener("hashchange", show);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a");
    // The permalink leads to the same lines.
    if (link?.dataset.key === "y") link.hash = location.hash;
    const [chosen] = (event.shiftKey && link?.closest("table.code") && ends(link.getAttribute("href"))) || [];
    const [first, last] = ends(location.hash) ?? [];
    if (!chosen || !first) return;
    event.preventDefault();
    // The line that the address named before is no longer its target.
    stays = true;
    location.replace(`#L${Math.min(first, chosen)}-${Math.max(chosen > first ? chosen : last, chosen)}`);
  });
}

// The tree of files shows the present one.
const showEntry = (entry) => {
  const tree = entry?.closest(".file-tree");
  if (tree) tree.scrollTop += entry.getBoundingClientRect().top - tree.getBoundingClientRect().top - tree.clientHeight / 2;
};
showEntry(document.querySelector(".file-tree [aria-current]"));

// The tree of changed files marks the first one that is in view below the toolbar.
{
  const entries = new Map([...document.querySelectorAll(".toolbar ~ .with-tree nav a")].map((entry) => [entry.hash.slice(1), entry]));
  const files = [...document.querySelectorAll(".with-tree .diff")];
  const inView = new Set();
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) isIntersecting ? inView.add(target) : inView.delete(target);
    const now = entries.get(files.find((file) => inView.has(file))?.getAttribute("aria-labelledby"));
    const old = document.querySelector(".file-tree [aria-current]");
    if (!now || now === old) return;
    old?.removeAttribute("aria-current");
    now.setAttribute("aria-current", "true");
    showEntry(now);
  }, { rootMargin: "-100px 0px 0px" });
  if (entries.size > 1) for (const file of files) observer.observe(file);
}

// The tree of changed files shows those whose path has the typed text. Without a script, there is no field for it.
{
  const place = document.querySelector("[data-filters]");
  const field = place?.querySelector("input");
  const isFound = (entry, text) => [...entry.querySelectorAll("a[title]")].some((link) => link.title.toLowerCase().includes(text));
  if (place) place.hidden = false;
  field?.addEventListener("input", () => {
    const text = field.value.trim().toLowerCase();
    for (const entry of place.parentElement.querySelectorAll("li")) entry.hidden = !isFound(entry, text);
  });
}
