// A person reads code, reports something, reviews a merge request and merges it.

import assert from "node:assert/strict";

import { PASSWORD, make, person, signIn, signInFirst, url } from "./browser.mjs";
import { resolve } from "./resolve.mjs";

// From the project to a line of a commit, which can be passed on, and to the history of the file.
const readCode = async ({ page, hand }, { id, path }) => {
  await page.goto(url + path);
  await page.getByRole("heading", { name: "README.md" }).waitFor();
  await hand.follow(page, "the program");
  await page.getByRole("table", { name: "Lines of main.rs" }).waitFor();
  await hand.follow(page, "Permalink");
  await page.waitForURL(/\/blob\/[0-9a-f]{40}\/src\/main\.rs$/);
  const [{ id: tip }] = await make("GET", `/projects/${id}/repository/commits?ref_name=master`);
  assert.ok(page.url().includes(tip), "the link names the commit");
  await hand.follow(page, "2");
  await page.waitForURL("**#L2");
  await hand.follow(page, "History");
  await hand.follow(page, "Begin");
  await page.getByRole("heading", { name: "Begin" }).waitFor();
};

// If Git takes long, a directory leaves its last commits out, and leads to them: with script they come into its rows.
// Here the browser gets the page in this form.
const lateCommits = async ({ page, hand }, { path }) => {
  const directory = `${url}${path}/tree/master/src`;
  const link = `<p class="muted">Finding the last commits takes longer. <a class="more files" rel="nofollow" href="${path}/refs/master/logs_tree/src?page=1">Load now</a></p>`;
  await page.route(directory, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const late = html.replace(/<td><a rel="nofollow" class="quiet".*?<\/tr>/s, '<td class="late muted">Loading…</td><td></td></tr>');
    assert.notEqual(late, html);
    await route.fulfill({ response, body: late.replace("</table>", `</table>${link}`) });
  });
  await page.goto(directory);
  await page.getByText("Loading…").waitFor();
  await hand.follow(page, "Load now");
  await page.getByRole("table").getByRole("link", { name: "Begin" }).waitFor();
  assert.equal(await page.getByText("Load now").count(), 0);
  await page.unroute(directory);
};

// An issue with commands in its description and its comments; both are kept in words.
const report = async ({ page, hand }, { id, path, user }) => {
  await page.goto(`${url}${path}/issues`);
  await hand.follow(page, "New issue");
  await hand.fill(page, "Title", "Gears grind");
  await hand.fill(page, "Description (Markdown supported)", "On **cold** days.\n/label ~bug\n/assign me");
  await hand.press(page, "Preview");
  await page.locator(".preview:visible").waitFor();
  assert.equal(await page.getByLabel("Title").inputValue(), "Gears grind", "a preview keeps what was typed");
  await hand.press(page, "Create issue");
  await page.getByRole("heading", { name: "Gears grind #2" }).waitFor();
  await hand.fill(page, "Add a comment", "In winter.\n/spend 1h\n/milestone %1.0");
  await hand.press(page, "Comment");
  await page.getByText("In winter.").waitFor();
  await hand.open(page, "React");
  await hand.press(page, "Rocket");
  await page.getByRole("button", { name: "rocket, 1" }).waitFor();
  const issue = await make("GET", `/projects/${id}/issues/2`);
  assert.deepEqual([issue.labels, issue.assignees[0].username, issue.milestone.title], [["bug"], user, "1.0"]);
  assert.equal(issue.time_stats.total_time_spent, 3600);
  await hand.fill(page, "Add a comment", "Oiled.");
  await hand.press(page, "Comment and close");
  await page.getByText("Closed", { exact: true }).waitFor();
  await page.goto(`${url}${path}/issues?state=closed&label_name[]=bug`);
  await page.getByRole("link", { name: "Gears grind" }).waitFor();
};

// To the page before, which is asked for again: by the script, or by the browser if it may not keep the page, as one with a
// message of the last action.
const goBack = async (page) => {
  await page.goBack({ waitUntil: "commit" });
  await page.waitForFunction(() => {
    const [way] = performance.getEntriesByType("navigation");
    return document.readyState === "complete" && (way.type === "reload" || way.transferSize > 0);
  });
};

const isTyped = (page, id, text) => page.waitForFunction(([field, want]) => document.getElementById(field).value === want, [id, text]);

// Text that was typed and not sent is still there when one comes back; text that was sent is not.
const comeBack = async ({ page, hand }, { path }) => {
  await page.goto(`${url}${path}/issues/1`);
  await hand.fill(page, "Add a comment", "Half a thought.");
  const away = async () => {
    await hand.follow(page, "Members", page.getByRole("navigation", { name: "Project", exact: true }));
    await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
    await goBack(page);
  };
  await away();
  await isTyped(page, "note", "Half a thought.");
  await hand.press(page, "Comment");
  await page.getByText("Half a thought.").waitFor();
  await away();
  assert.equal(await page.getByLabel("Add a comment").inputValue(), "");
};

// A comment that the server does not answer, or answers with a failure, stays beside the reason. It is also there when one comes
// back or loads the page again. Sent once more, it is there once.
const failToSend = async ({ page, hand, foresee }, { path }) => {
  const [issue, notes, text] = [`${url}${path}/issues/1`, `${url}${path}/issues/1/notes`, "It takes a while."];
  foresee("net::ERR_FAILED");
  foresee("status of 500");
  await page.goto(issue);
  await hand.fill(page, "Add a comment", text);
  for (const fail of [(route) => route.abort(), (route) => route.fulfill({ status: 500, contentType: "text/html", body: "<h1>Something went wrong</h1>" })]) {
    await page.route(notes, fail);
    await hand.press(page, "Comment");
    await page.locator("#comment").getByRole("alert").waitFor();
    await page.unroute(notes);
    await isTyped(page, "note", text);
    await page.goto(`${url}${path}/labels`);
    await page.goto(issue);
    await isTyped(page, "note", text);
    await page.reload();
    await isTyped(page, "note", text);
  }
  await hand.press(page, "Comment");
  await page.getByText(text).waitFor();
  await page.goto(`${url}${path}/labels`);
  await page.goto(issue);
  await page.getByText(text).waitFor();
  assert.equal(await page.getByLabel("Add a comment").inputValue(), "");
};

// A description that was typed over an old one comes back. It is not saved over a newer one unless the reader has seen
// that.
const putBackOld = async ({ page, hand, foresee }, { id, path }) => {
  const issue = `/projects/${id}/issues/1`;
  const stored = async () => (await make("GET", issue)).description;
  const edit = `${url}${path}/issues/1/edit`;
  const before = await stored();
  foresee("status of 409");
  await page.goto(edit);
  await hand.fill(page, "Description (Markdown supported)", "Mine.");
  await hand.follow(page, "Members", page.getByRole("navigation", { name: "Project", exact: true }));
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  await make("PUT", issue, { description: "Theirs." });
  await page.goto(edit);
  await isTyped(page, "description", "Mine.");
  await hand.press(page, "Save");
  await page.getByRole("heading", { name: "Current version" }).waitFor();
  await page.getByText("Theirs.", { exact: true }).waitFor();
  assert.equal(await stored(), "Theirs.");
  assert.equal(await page.getByLabel("Description (Markdown supported)").inputValue(), "Mine.");
  await hand.press(page, "Save");
  await page.getByText("Mine.", { exact: true }).waitFor();
  assert.equal(await stored(), "Mine.");
  await make("PUT", issue, { description: before });
  await page.goto(edit);
  assert.equal(await page.getByLabel("Description (Markdown supported)").inputValue(), before, "what was saved does not come back");
};

// Typed text is not there for another who signs in in the same tab, nor after signing out.
const leave = async (someone, { path, user }, other) => {
  const { page, hand } = someone;
  const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("typed ")));
  const type = async (text) => {
    await page.goto(`${url}${path}/issues/1`);
    await hand.fill(page, "Add a comment", text);
    await page.goto(`${url}/help`);
    await page.waitForFunction((want) => Object.values(sessionStorage).some((entry) => entry.includes(want)), text);
  };
  await type("For my eyes.");
  // The session ends elsewhere: the reader who comes back is asked who they are.
  await page.context().clearCookies();
  await page.goto(`${url}/users/sign_in`);
  assert.equal((await kept()).length, 1);
  await signInFirst(someone, other);
  assert.deepEqual(await kept(), []);
  await page.goto(`${url}${path}/issues/1`);
  assert.equal(await page.getByLabel("Add a comment").inputValue(), "");
  await type("Neither this.");
  await page.goto(`${url}/users/sign_out`);
  await hand.press(page, "Sign out", page.getByRole("main"));
  await page.getByLabel("Password").waitFor();
  assert.deepEqual(await kept(), []);
  await signIn(someone, user);
};

// A file is attached to a comment: by the script beside the text, or on a page that gives the line to put into it.
const attach = async ({ page, hand }, { path }, mode) => {
  await page.goto(`${url}${path}/issues/1`);
  const file = { name: "gear plan.txt", mimeType: "text/plain", buffer: Buffer.from("oil") };
  const line = /^\[gear_plan\.txt\]\(\/uploads\/[0-9a-f]+\/gear_plan\.txt\)$/;
  if (mode === "without script") {
    await page.goto(await page.getByRole("link", { name: "Attach a file" }).first().getAttribute("href").then((href) => url + href));
    await page.getByLabel("File").setInputFiles(file);
    await hand.press(page, "Attach file");
    assert.match(await page.getByLabel("Markdown").inputValue(), line);
    return;
  }
  const chosen = page.waitForEvent("filechooser");
  const button = page.locator("#comment").getByRole("button", { name: "Attach a file" });
  if (mode === "keyboard") await button.press("Enter");
  else await button.click();
  await (await chosen).setFiles(file);
  await page.getByText("Attached: gear plan.txt", { exact: true }).waitFor();
  assert.match((await page.getByLabel("Add a comment").inputValue()).trim(), line);
};

// A link to a comment leads to it, also if it is in the middle of a long discussion, which is shown in parts.
const findNote = async ({ page }, { id, path }) => {
  const below = `/projects/${id}/issues/1/discussions`;
  const { id: discussion } = await make("POST", below, { body: "Reply 0." });
  const replies = [];
  for (let number = 1; number < 60; number += 1) replies.push(await make("POST", `${below}/${discussion}/notes`, { body: `Reply ${number}.` }));
  await page.goto(`${url}${path}/issues/1`);
  assert.equal(await page.getByText("Reply 15.").count(), 0);
  await page.goto(`${url}${path}/issues/1#note_${replies[14].id}`);
  await page.getByText("Reply 15.").waitFor();
};

// A mention is on the to-do list, which leads to it.
const todo = async ({ page, hand }, { id, path, user }) => {
  await make("POST", `/projects/${id}/issues/1/notes`, { body: `@${user} oil it` });
  await page.goto(`${url}/dashboard/todos`);
  await page.getByText("oil it").waitFor();
  await hand.follow(page, "The crank sticks", page.getByRole("main"));
  await page.waitForURL(new RegExp(`${path}/issues/1\\?note=\\d+#note_`));
};

// A file that is dropped on a field, or pasted into it, becomes a link too.
const dropOn = async (page, field, name) => {
  const data = await page.evaluateHandle((file) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["oil"], file, { type: "text/plain" }));
    return transfer;
  }, name);
  await field.dispatchEvent("drop", { dataTransfer: data });
};

// A discussion on a line, which is resolved, a file that was viewed, and a comment that waits for the review. Then the
// merge, which closes the issue that the description names.
const review = async ({ page, hand }, { id, path }, mode) => {
  await page.goto(`${url}${path}/merge_requests`);
  await hand.follow(page, "Say Goodbye");
  await page.getByText("Shorter?").waitFor();
  await hand.follow(page, "Changes 1");
  await hand.follow(page, "2");
  await hand.fill(page, "Comment on this line", "Say *farewell*.");
  await hand.press(page, "Comment");
  await page.getByText("farewell").waitFor();
  await hand.open(page, "Reply");
  if (mode !== "without script") {
    await hand.fill(page, "Your reply", "See ");
    const chosen = page.waitForEvent("filechooser");
    await hand.press(page, "Attach a file", page.locator(".reply[open]"));
    await (await chosen).setFiles({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("oil") });
    await page.locator(".reply[open]").getByRole("status").getByText("Attached: plan.txt").waitFor();
    assert.match(await page.getByLabel("Your reply").inputValue(), /^See \[plan\.txt\]\(\/uploads\//);
    await dropOn(page, page.getByLabel("Your reply"), "more.txt");
    await page.locator(".reply[open]").getByRole("status").getByText("Attached: more.txt").waitFor();
  }
  await hand.fill(page, "Your reply", "No.");
  await hand.press(page, "Reply");
  await page.getByText("No.", { exact: true }).waitFor();
  await hand.press(page, "Resolve");
  // A resolved discussion is folded.
  await page.locator(".fold:not([open]) > summary", { hasText: "Resolved by Grace Hopper" }).waitFor();
  await hand.open(page, "Resolved by");
  await page.getByRole("button", { name: "Unresolve" }).waitFor();
  await hand.follow(page, "Changes 1");
  await hand.press(page, "Viewed: src/main.rs");
  await page.getByText("1 of 1 viewed").waitFor();
  await hand.follow(page, /^Overview/, page.getByRole("navigation", { name: "Merge request" }));
  await page.getByRole("heading", { name: "Ready to merge" }).waitFor();
  await hand.fill(page, "Add a comment", "All *read*.");
  await hand.press(page, "Add to review", page.locator("#comment"));
  await page.getByText("1 pending comment").waitFor();
  const said = async () => (await make("GET", `/projects/${id}/merge_requests/1/notes`)).some(({ body }) => body === "All *read*.");
  assert.ok(!await said(), "no one else sees it");
  await hand.press(page, "Finish review 1");
  await page.getByText("Review published.").waitFor();
  assert.ok(await said());
  await hand.press(page, "Merge");
  await page.getByText("Merged", { exact: true }).first().waitFor();
  assert.equal((await make("GET", `/projects/${id}/merge_requests/1`)).state, "merged");
};

export const work = async (browser, mode, world) => {
  const someone = await person(browser, mode);
  await signInFirst(someone, world.user);
  await readCode(someone, world);
  await lateCommits(someone, world);
  await report(someone, world);
  await todo(someone, world);
  await attach(someone, world, mode);
  if (mode !== "without script") await comeBack(someone, world);
  if (mode === "script") {
    await findNote(someone, world);
    await failToSend(someone, world);
    await putBackOld(someone, world);
    const username = `mary-of-${world.user}`;
    await make("POST", "/users", { username, name: "Mary", email: `${username}@example.org`, password: PASSWORD, skip_confirmation: true });
    await leave(someone, world, username);
  }
  await review(someone, world, mode);
  await resolve(someone, mode, world);
  await someone.end();
  console.log(`ok: work, ${mode}`);
};
