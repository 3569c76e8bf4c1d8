// Fields for Markdown: keys, completion, the preview in place. Menus and searches that answer while one types. All of it needs
// script; the other journeys do the same without.

import assert from "node:assert/strict";

import { api, make, person, signIn, url } from "./browser.mjs";

const hasFocus = (field) => field.evaluate((element) => element === document.activeElement);

const write = async (page, { user }) => {
  const field = page.getByLabel("Add a comment");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await field.focus();
  await page.keyboard.type(`- one`);
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Tab");
  assert.equal(await field.inputValue(), "- one\n  - two", "Enter continues a list, and Tab indents it");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(!(await hasFocus(field)), "Tab leaves the field after Escape");
  await field.fill("");
  await page.keyboard.type("For @hopper");
  await list.getByText("Grace Hopper").first().waitFor();
  assert.equal(await field.getAttribute("aria-activedescendant"), "complete-0");
  await page.keyboard.press("Escape");
  assert.ok(await list.isHidden(), "Escape closes the list");
  await field.fill("");
  await page.keyboard.type(`@${user.slice(0, -1)}`);
  await list.getByText(`@${user}`, { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("~bu");
  await list.getByText("bug").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(":tad");
  await list.getByText(":tada:").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.type("**at once**");
  assert.equal(await field.inputValue(), `@${user} ~bug :tada: **at once**`);
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.locator(".preview:visible");
  await preview.locator("strong", { hasText: "at once" }).waitFor();
  assert.match((await preview.innerText()).trim(), /^Grace Hopper|^@/, "the preview shows the text");
  assert.deepEqual([await preview.locator(".label").innerText(), await field.isVisible()], ["bug", false]);
  await page.getByRole("button", { name: "Write" }).click();
  assert.ok(await hasFocus(field));
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator(".note-card strong", { hasText: "at once" }).waitFor();
};

const find = async (page, { path }) => {
  await page.goto(`${url}${path}/blob/master/README.md`);
  await page.locator("main details.menu").first().locator("summary").click();
  const field = page.getByLabel("Find a branch or tag");
  await page.waitForFunction(() => document.activeElement.id === "switch");
  await page.keyboard.type("bye");
  await page.locator("#found-refs a", { hasText: "goodbye" }).waitFor();
  await field.press("Enter");
  await page.waitForURL(`**${path}/blob/goodbye/README.md`);
  await page.goto(`${url}${path}/tree/goodbye`);
  await page.keyboard.press("t");
  await page.waitForURL(`**${path}/find_file/goodbye`);
  assert.equal(await page.evaluate(() => document.activeElement.id), "search", "the cursor is in the field");
  await page.keyboard.type("main.r");
  await page.locator("#found-files").getByText("1 file found").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${path}/blob/goodbye/src/main.rs`);
};

// The first page, and the branch that was just pushed, lead to its merge request.
const pushed = async (page, { id, path, userId }) => {
  const name = "fix-the-crank";
  const address = `${path}/merge_requests/new?merge_request[source_branch]=fix%2Dthe%2Dcrank`;
  const offers = () => page.locator(`main a[href="${address}"]`);
  await page.goto(`${url}${path}/branches`);
  assert.equal(await offers().count(), 0, "the branch is not there yet");
  const { token } = await make("POST", `/users/${userId}/personal_access_tokens`, { name: "push", scopes: ["api"] });
  const actions = [{ action: "create", file_path: "oil.txt", content: "oil\n" }];
  const commit = { branch: name, start_branch: "master", commit_message: "Oil the crank", actions };
  const made = await api("POST", `/api/v4/projects/${id}/repository/commits`, commit, { "PRIVATE-TOKEN": token });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  for (const below of ["", "/merge_requests"]) {
    await page.goto(`${url}${path}${below}`);
    assert.ok(await page.getByText("You pushed").isVisible(), `the branch is offered at ${path}${below}`);
  }
  // Its row says it there.
  await page.goto(`${url}${path}/branches`);
  assert.ok(await page.getByRole("link", { name: `New merge request for ${name}` }).isVisible());
  assert.equal(await page.getByText("You pushed").count(), 0);
  await page.goto(url);
  assert.equal(await page.getByRole("heading", { name: "Dashboard" }).count(), 1);
  assert.equal(await page.getByRole("heading", { name: "Recent projects" }).count(), 1);
  await offers().first().click();
  await page.waitForURL(`**${path}/merge_requests/new?**`);
  assert.ok((await page.locator("main").innerText()).includes(name), "the form is about the branch");
};

export const fields = async (browser, world) => {
  const someone = await person(browser, "script");
  const { page } = someone;
  await signIn(someone, world.user);
  await page.goto(`${url}${world.path}/issues/1`);
  await write(page, world);
  await find(page, world);
  await pushed(page, world);
  await someone.end();
  console.log("ok: fields");
};
