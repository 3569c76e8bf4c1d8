// Menus close by Escape, by a click outside, and when another one opens. A menu that contains the other one stays open.
const MENUS = "details:is(.menu, .confirm)[open]";
const closeMenus = (but) => {
  for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(but)) menu.open = false;
};
document.addEventListener("click", ({ target }) => closeMenus(target));
// The field of a menu that has opened gets the focus.
document.addEventListener("toggle", ({ target }) => {
  if (!target.matches(MENUS)) return;
  closeMenus(target);
  if (target.matches(".menu")) target.querySelector("input[type=search]")?.focus();
}, true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
  const menu = [...document.querySelectorAll(MENUS)].at(-1);
  if (!menu) return;
  const hasFocus = menu.contains(document.activeElement);
  menu.open = false;
  if (hasFocus) menu.querySelector("summary").focus();
});

// The arrow keys go through the links and buttons of an open menu, the entries of a tree of files, and the results of a field.
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target } = event;
  if (!step || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  if (target.matches("select, textarea, input:not([type=search])")) return;
  const place = target.closest("details.menu[open]") ?? target.closest("[data-results], .file-tree");
  if (!place) return;
  const stops = [...place.querySelectorAll(":is(summary, input[type=search], a[href], button)")].filter((stop) => stop.checkVisibility?.() ?? true);
  const here = stops.indexOf(target);
  if (here < 0) return;
  const next = stops[here + step];
  // The buttons behind a field are not results.
  const wanted = target.matches("input") && step > 0 ? stops.slice(here + 1).find((stop) => stop.matches("a")) : next;
  if (!wanted) return;
  event.preventDefault();
  wanted.focus();
});

// Tabs that do not fit into their row are scrolled to the present one.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.closest(".tabs");
  row.scrollLeft += tab.getBoundingClientRect().right - row.getBoundingClientRect().right + 40;
}
