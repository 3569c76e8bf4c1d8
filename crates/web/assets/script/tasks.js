// A tick in a list of tasks is sent at once, one after the other. If that fails, the form is sent as a whole, and its answer says
// why. An answer that leads to another page, as to the one to sign in, is a failure too.
for (const button of document.querySelectorAll("[data-tasks] button")) button.hidden = true;
let lastTick = Promise.resolve();
document.addEventListener("change", ({ target }) => {
  const form = target.form;
  if (!form?.matches("[data-tasks]")) return;
  lastTick = lastTick.then(async () => {
    const body = new URLSearchParams(new FormData(form));
    const ticked = body.getAll("tasks[]").filter(Boolean);
    const answer = await fetch(form.action, { ...FRAGMENT, method: "POST", body }).catch(() => null);
    if (answer?.status === 204) form.elements.shown.value = JSON.stringify({ tasks: ticked });
    else form.submit();
  });
});

// One box selects all rows of a list.
const everyRow = document.querySelector("[data-all]");
if (everyRow) everyRow.hidden = false;
everyRow?.addEventListener("change", () => {
  for (const box of document.querySelectorAll(".pick")) box.checked = everyRow.checked;
});
