// A reviewer proposes another line with the button of the form, and the author applies it; then the conflicts with the target are
// resolved, the merge is reverted on a new branch, and the source branch deleted and restored.

import assert from "node:assert/strict";

import { make, url } from "./browser.mjs";

const LINES = ["one", "a", "b", "c", "d", "e", "two"];
const text = (first, last) => [first, ...LINES.slice(1, -1), last, ""].join("\n");

const commit = (id, branch, content, action, start) => make("POST", `/projects/${id}/repository/commits`, {
  branch, commit_message: "Count", actions: [{ action, file_path: `${branch === "master" ? start : branch}.txt`, content }],
  ...(branch !== "master" && start && { start_branch: start }),
});

const raw = async (id, file) => (await make("GET", `/projects/${id}/repository/files/${file}.txt?ref=${file}`)).content;

// Proposes another first line: by the button of the toolbar if there is a script, and by that of the form if there is none.
const propose = async ({ page, hand }, mode, at) => {
  await page.goto(`${at}/diffs`);
  const address = await page.locator("a[href*='comment=f'][href$='_0_1']").first().getAttribute("href");
  await page.goto(new URL(address, page.url()).href);
  await page.getByLabel("Comment on this line").waitFor();
  // The keyboard goes through the toolbar with its arrows.
  if (mode === "keyboard") {
    await page.getByRole("toolbar").getByRole("button", { name: "Suggest a change" }).focus();
    await page.keyboard.press("Enter");
  } else await hand.press(page, mode === "script" ? "Suggest a change" : "Add suggestion");
  // Without a script nothing can be asked of the page, but the block is in its source.
  if (mode === "without script") await page.locator("textarea", { hasText: "suggestion:-0+0" }).waitFor();
  else await page.waitForFunction(() => document.querySelector("textarea[id^=line-comment]").value.includes("suggestion:-0+0"));
  const typed = await page.getByLabel("Comment on this line").inputValue();
  assert.equal(typed, "```suggestion:-0+0\nONE\n```\n");
  await hand.fill(page, "Comment on this line", typed.replace("ONE", "First"));
  await hand.press(page, "Comment");
  await page.getByRole("button", { name: "Apply suggestion" }).waitFor();
};

export const resolve = async (someone, mode, { id, path }) => {
  const { page, hand } = someone;
  const name = `count-${mode.replaceAll(" ", "-")}`;
  await commit(id, "master", text("one", "two"), "create", name);
  await make("POST", `/projects/${id}/repository/branches`, { branch: name, ref: "master" });
  await commit(id, name, text("ONE", "TWO"), "update");
  const { iid } = await make("POST", `/projects/${id}/merge_requests`, { source_branch: name, target_branch: "master", title: `Count ${mode}` });
  const at = `${url}${path}/merge_requests/${iid}`;
  await propose(someone, mode, at);
  await page.goto(at);
  await hand.press(page, "Apply suggestion");
  await page.getByText("Suggestions applied.").waitFor();
  assert.equal(atob(await raw(id, name)), text("First", "TWO"));
  await commit(id, "master", text("1", "2"), "update", name);
  await page.goto(at);
  await hand.follow(page, "Resolve conflicts");
  await page.getByRole("heading", { name: "Resolve conflicts" }).waitFor();
  const sides = page.getByRole("radio");
  assert.equal(await sides.count(), 4);
  await sides.nth(0).focus();
  await page.keyboard.press("Space");
  await sides.nth(3).focus();
  await page.keyboard.press("Space");
  await hand.press(page, "Resolve conflicts");
  await page.getByText("Conflicts resolved.").waitFor();
  assert.equal(atob(await raw(id, name)), text("First", "2"));
  await hand.press(page, "Merge");
  await page.getByText("still exists").waitFor();
  await hand.press(page, "Delete source branch");
  await page.getByText("was deleted").waitFor();
  await hand.press(page, "Restore source branch");
  await page.getByText("still exists").waitFor();
  await hand.follow(page, "Revert");
  await page.getByRole("heading", { name: "Revert commit" }).waitFor();
  await hand.tick(page, "Use a new branch and create a merge request");
  await hand.press(page, "Revert");
  await page.getByRole("heading", { name: "New merge request" }).waitFor();
};
