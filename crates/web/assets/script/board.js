// Cards of a board are dragged, or moved by Shift and an arrow key. Either sends the form of the card.
const CARD = ".board [data-card]:has(form)";
const moveCard = (card, column, name, beside) => {
  const form = card.querySelector("form");
  form.elements["move[to]"].value = column.dataset.column;
  const button = document.createElement("button");
  button.hidden = true;
  if (beside) {
    button.name = `move[${name}]`;
    button.value = beside.dataset.card;
  }
  form.append(button);
  form.requestSubmit(button);
};
const cardsOf = (column, but) => [...column.querySelectorAll("[data-card]")].filter((one) => one !== but);
let dragged = null;
document.addEventListener("dragstart", ({ target, dataTransfer }) => {
  dragged = target.closest?.(CARD);
  // Some browsers drag nothing without data.
  if (dragged) dataTransfer.setData("text/plain", dragged.dataset.card);
});
document.addEventListener("dragend", () => (dragged = null));
document.addEventListener("dragover", (event) => {
  if (dragged && event.target.closest("[data-column]")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const column = dragged && event.target.closest("[data-column]");
  if (!column) return;
  event.preventDefault();
  const over = event.target.closest("[data-card]");
  if (over === dragged) return;
  const rect = over?.getBoundingClientRect();
  if (rect && event.clientY < rect.top + rect.height / 2) moveCard(dragged, column, "before", over);
  else moveCard(dragged, column, "after", over ?? cardsOf(column, dragged).at(-1));
});
document.addEventListener("keydown", (event) => {
  const card = event.target.closest(CARD);
  if (!card || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  if (document.documentElement.dataset.keys === "none") return;
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const here = card.closest("[data-column]");
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const cards = cardsOf(here);
    const other = cards[cards.indexOf(card) + step];
    if (other) moveCard(card, here, step < 0 ? "before" : "after", other);
    return;
  }
  const columns = [...document.querySelectorAll("[data-column]")];
  const column = columns[columns.indexOf(here) + step];
  if (column) moveCard(card, column, "before", cardsOf(column)[0]);
});
