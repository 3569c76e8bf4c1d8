// Comments in place: on lines and in conversations, by mouse and by keyboard, refused and repeated, without a load.

import assert from "node:assert/strict";

import { make, person, signIn, url } from "./browser.mjs";

// How long a comment on a line took to be in its place, at most: without the time of a busy machine it is much less.
const LONGEST = 2_000;

const CONTENT = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join("");
const offered = async ({ id }) => {
  const commit = (branch, content, action, start) => make("POST", `/projects/${id}/repository/commits`, {
    branch, commit_message: "Lines", actions: [{ action, file_path: "lines.txt", content }], ...(start && { start_branch: start }),
  });
  await commit("master", CONTENT, "create");
  await commit("remarks", CONTENT.replace("line 3\n", "line three\nand more\n").replace("line 20\n", ""), "update", "master");
  const { iid } = await make("POST", `/projects/${id}/merge_requests`, { source_branch: "remarks", target_branch: "master", title: "Remarks" });
  return iid;
};

// Counts the loads of pages while it runs.
const withoutLoad = async (page, act) => {
  let loads = 0;
  const count = (request) => request.isNavigationRequest() && request.frame() === page.mainFrame() && (loads += 1);
  page.on("request", count);
  await act();
  page.off("request", count);
  assert.equal(loads, 0, "nothing is loaded");
};
const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());

const onLines = async ({ page, foresee }, address, notes) => {
  await page.goto(address);
  await withoutLoad(page, async () => {
    const added = page.locator("tr.added");
    await added.first().locator("a").click();
    await page.keyboard.type("Why *three*?");
    const begun = Date.now();
    await page.keyboard.press("Control+Enter");
    await page.locator(".talk em", { hasText: "three" }).waitFor();
    const took = Date.now() - begun;
    console.log(`a comment on a line: ${took} ms`);
    assert.ok(took < LONGEST, `${took} ms`);
    assert.match(await focused(page), /^note_\d+$/, "the new comment has the focus");
    // A removed line, and a form that is left: its row goes too.
    await page.locator("tr.removed").last().locator("a").click();
    await page.getByRole("link", { name: "Cancel" }).click();
    assert.equal(await page.locator("tr.talk").count(), 1);
    // A reply and a resolution, by keyboard. What was typed in a thread stays when something else of it changes.
    await page.locator(".talk .reply summary").press("Enter");
    await page.getByLabel("Your reply").fill("Because.");
    await page.locator(".talk .react summary").first().press("Enter");
    await page.getByRole("button", { name: "Rocket" }).press("Enter");
    await page.getByRole("button", { name: "rocket, 1" }).waitFor();
    assert.equal(await page.getByLabel("Your reply").inputValue(), "Because.");
    await page.locator(".talk").getByRole("button", { name: "Reply", exact: true }).press("Enter");
    await page.locator(".talk").getByText("Because.", { exact: true }).waitFor();
    await page.locator(".talk").getByRole("button", { name: "Resolve" }).press("Enter");
    await page.locator(".talk .fold > summary", { hasText: "Resolved by Grace Hopper" }).waitFor();
    await page.locator(".talk .fold > summary").press("Enter");
    await page.getByRole("button", { name: "Unresolve" }).press("Enter");
    await page.locator(".talk").getByRole("button", { name: "Resolve", exact: true }).waitFor();
  });
  assert.deepEqual(await notes(), ["Why *three*?", "Because."]);
  // Twice at once, and with a key that is held, a comment is sent once.
  await withoutLoad(page, async () => {
    await page.locator("tr.added").nth(1).locator("a").click();
    await page.keyboard.type("Twice?");
    await page.locator("form:has(textarea:focus)").getByRole("button", { name: "Comment" }).dblclick();
    await page.locator(".talk").getByText("Twice?", { exact: true }).waitFor();
    await page.locator("tr.removed").first().locator("a").click();
    await page.keyboard.type("Held?");
    await page.keyboard.down("Control");
    for (let times = 0; times < 4; times += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.keyboard.up("Control");
    await page.locator(".talk").getByText("Held?", { exact: true }).waitFor();
  });
  assert.deepEqual(await notes(), ["Why *three*?", "Because.", "Twice?", "Held?"]);
  // Refused, unanswered and failed: the reason is beside the text, which stays, and is there after a load.
  foresee("net::ERR_FAILED");
  foresee("status of 500");
  await page.locator("tr.removed").last().locator("a").click();
  const field = page.locator("textarea:focus");
  const id = await field.getAttribute("id");
  const form = page.locator(`form:has([id="${id}"])`);
  for (const fail of [(route) => route.abort(), (route) => route.fulfill({ status: 500, contentType: "text/html", body: "<h1>No</h1>" })]) {
    await page.route("**/notes?*", fail);
    await field.fill("Kept.");
    await page.keyboard.press("Control+Enter");
    await form.getByRole("alert").getByText("could not be sent").waitFor();
    assert.equal(await field.inputValue(), "Kept.");
    assert.equal(await field.getAttribute("aria-describedby"), "problems");
    await page.unroute("**/notes?*");
  }
  await field.fill(" ");
  await page.keyboard.press("Control+Enter");
  await form.getByRole("alert").getByText("can't be blank").waitFor();
  await field.fill("Kept.");
  await page.reload();
  await page.locator("textarea:focus").waitFor();
  assert.equal(await page.locator("textarea:focus").inputValue(), "Kept.");
  await page.keyboard.press("Control+Enter");
  await page.locator(".talk").getByText("Kept.", { exact: true }).waitFor();
};

const edits = async ({ page, foresee }, address, change) => {
  foresee("status of 409");
  await page.goto(address);
  await withoutLoad(page, async () => {
    const note = page.locator(".note-card", { hasText: "Because." });
    const menu = async (name) => {
      await note.getByLabel("Actions").click();
      await note.getByText(name, { exact: true }).click();
    };
    await menu("Edit");
    await page.locator("textarea:focus").fill("Never *mind*.");
    await page.getByRole("link", { name: "Cancel" }).click();
    await note.locator(".markdown").waitFor();
    await menu("Edit");
    await page.locator("textarea:focus").fill("Because. *Really*.");
    await page.keyboard.press("Control+Enter");
    await note.locator("em", { hasText: "Really" }).waitFor();
    // Another has changed it since its form was opened: both texts are there, and saving again replaces what is stored.
    await menu("Edit");
    await page.locator("textarea:focus").waitFor();
    await change("Because. Theirs.");
    await page.locator("textarea:focus").fill("Because. Mine.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Current version" }).waitFor();
    await page.getByText("Because. Theirs.", { exact: true }).waitFor();
    assert.equal(await page.locator("textarea:focus").inputValue(), "Because. Mine.");
    await page.keyboard.press("Control+Enter");
    // The form has the same text, and a menu that goes with it.
    await note.locator("textarea").waitFor({ state: "detached" });
    await note.getByText("Because. Mine.", { exact: true }).waitFor();
    await menu("Delete");
    await note.getByRole("button", { name: "Delete comment" }).click();
    await note.waitFor({ state: "detached" });
  });
};

const reviews = async ({ page }, address) => {
  await page.goto(address);
  await withoutLoad(page, async () => {
    await page.locator("tr.added").first().locator("a").click();
    await page.keyboard.type("Pending.");
    await page.getByRole("button", { name: "Add to review" }).click();
    await page.getByRole("button", { name: "Finish review 1" }).waitFor();
    const draft = page.locator(".draft", { hasText: "Pending." });
    await draft.getByRole("link", { name: "Edit" }).click();
    await page.locator("textarea:focus").fill("Still *pending*.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".draft em", { hasText: "pending" }).waitFor();
    await page.locator(".draft summary", { hasText: "Delete" }).click();
    await page.getByRole("button", { name: "Delete comment" }).click();
    await page.locator(".draft").waitFor({ state: "detached" });
    assert.ok(await page.locator("#finish").isHidden());
  });
};

const talks = async ({ page }, address) => {
  await page.goto(address);
  await withoutLoad(page, async () => {
    await page.getByLabel("Add a comment").fill("At the end.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByText("At the end.", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("Add a comment").inputValue(), "");
    assert.match(await focused(page), /^note_\d+$/);
    // A command changes the facts beside the conversation.
    await page.getByLabel("Add a comment").fill("Soon.\n/due 2099-01-31");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Soon.", { exact: true }).waitFor();
    await page.locator(".facts", { hasText: "2099" }).waitFor();
    await page.getByLabel("Add a comment").fill("/label ~bug");
    await page.keyboard.press("Control+Enter");
    await page.locator(".flash[role=status]", { hasText: "Commands applied." }).waitFor();
    await page.locator(".facts a.label", { hasText: "bug" }).waitFor();
  });
};

export const remarks = async (browser, world) => {
  const iid = await offered(world);
  const someone = await person(browser, "script", [], { viewport: { width: 1280, height: 900 } });
  await signIn(someone, world.user);
  const request = `/projects/${world.id}/merge_requests/${iid}`;
  const changes = `${url}${world.path}/merge_requests/${iid}/diffs`;
  const said = async () => (await make("GET", `${request}/notes?sort=asc&per_page=100`)).filter(({ system }) => !system);
  await onLines(someone, changes, async () => (await said()).map(({ body }) => body));
  const change = async (body) => {
    const { id } = (await said()).find((note) => note.body.startsWith("Because."));
    await make("PUT", `${request}/notes/${id}`, { body });
  };
  await edits(someone, `${changes}?view=parallel`, change);
  await reviews(someone, changes);
  const { iid: issue } = await make("POST", `/projects/${world.id}/issues`, { title: "Talk about it" });
  await talks(someone, `${url}${world.path}/issues/${issue}`);
  // The overview has the code of each discussion above it.
  await someone.page.goto(`${url}${world.path}/merge_requests/${iid}`);
  await someone.page.locator(".quoted tr.added", { hasText: "line three" }).first().waitFor();
  await someone.end();
  console.log("ok: remarks");
};
