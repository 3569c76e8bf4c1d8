// Daily tasks, each by clicks in a browser, and what they cost. A task needs no more clicks than on the pages of Gitea 1.25.4,
// where the same tasks were carried out. Typing and keys cost nothing; choosing from a list of the browser costs two clicks.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { PASSWORD, api, make, person, signInFirst, url } from "./browser.mjs";
import { world } from "./world.mjs";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LINES = 6;
const front = ({ path }) => path;
const issueOf = (number) => ({ path }) => `${path}/issues/${number}`;
const requestOf = (number) => ({ path }) => `${path}/merge_requests/${number}`;

// Each task: its number and name, the clicks of Gitea, the most clicks and loads that it may cost here, the page on which it
// begins, and its steps. `aims` is what it should cost: a limit that has come down to it needs none.
const TASKS = [
  { number: 1, name: "make a token", gitea: 6, clicks: 5, loads: 4, from: front, async steps({ click, page }) {
    await click(".site .menu.last > summary");
    await click(".site .menu.last a[href$='/profile']");
    await click("nav a[href$='/personal_access_tokens']");
    await page.keyboard.type("For a script");
    await click("input[value=api]");
    await click("form:has(input[value=api]) button.main");
    await page.locator("#created-token").waitFor();
  } },
  { number: 2, name: "new project", gitea: 3, clicks: 3, loads: 2, from: front, async steps({ click, page }) {
    await click(".site .end details:not(.last) > summary");
    await click(".site .end a[href$='/projects/new']");
    await page.locator("#name:focus").waitFor();
    await page.keyboard.type("Loom of tasks");
    await click("main button.main");
    await page.waitForURL("**/loom-of-tasks");
  } },
  { number: 3, name: "new issue", gitea: 3, clicks: 3, loads: 3, from: front, async steps({ click, page }) {
    await click(".place .tabs a[href$='/issues']");
    await click("main a.button.main[href$='/issues/new']");
    await page.locator("#title:focus").waitFor();
    await page.keyboard.type("The handle is loose");
    await click("main form[method=post] button.main");
    await page.waitForURL(/\/issues\/\d+$/);
  } },
  { number: 4, name: "add a label to an issue", gitea: 3, clicks: 2, loads: 0, from: issueOf(2), async steps({ click, page }) {
    await click(".facts summary:is([aria-label='Add: Labels'], [aria-label='Edit: Labels'])");
    await click(".facts details[open] input[value=bug]");
    await page.keyboard.press("Control+Enter");
    await page.locator("#fact_labels a.label", { hasText: "bug" }).waitFor();
    await page.locator(".timeline .system .label", { hasText: "bug" }).waitFor();
  } },
  { number: 5, name: "assign it to me", gitea: 3, clicks: 1, loads: 0, from: issueOf(2), async steps({ click, page }) {
    await click(".facts form[action*=assignee_ids] button.link");
    await page.locator("#fact_assignee_ids .person").waitFor();
  } },
  { number: 6, name: "set the milestone", gitea: 2, clicks: 2, loads: 0, from: issueOf(2), async steps({ click, page }) {
    await click(".facts summary:is([aria-label='Add: Milestone'], [aria-label='Edit: Milestone'])");
    await click(".facts details[open] button.item", "1.0");
    await page.locator("#fact_milestone_id", { hasText: "1.0" }).waitFor();
  } },
  { number: 7, name: "tick a task", gitea: 1, clicks: 1, loads: 0, from: issueOf(2), async steps({ click, world: { id } }) {
    await click("input[type=checkbox][name='tasks[]'] >> nth=0");
    const isDone = async () => (await make("GET", `/projects/${id}/issues/2`)).description.startsWith("- [x]");
    for (let tries = 0; tries < 100 && !(await isDone()); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(await isDone(), "the tick is stored");
  } },
  { number: 8, name: "comment", gitea: 0, clicks: 0, loads: 0, from: issueOf(2), async steps({ page }) {
    await page.keyboard.press("c");
    await page.keyboard.type("Seen here **too**.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".note-card strong", { hasText: "too" }).waitFor();
  } },
  { number: 9, name: "mention a user", gitea: 0, clicks: 0, loads: 0, from: issueOf(2), async steps({ page, world: { user } }) {
    await page.keyboard.press("c");
    await page.keyboard.type("@grace-t");
    await page.getByRole("listbox").getByText(`@${user}`, { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    assert.match(await page.locator("#note").inputValue(), new RegExp(`@${user}`));
    await page.locator("#note").fill("");
  } },
  { number: 10, name: "paste a picture", gitea: 0, clicks: 0, loads: 0, from: issueOf(2), async steps({ page }) {
    await page.keyboard.press("c");
    await page.evaluate(([bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], "shot.png", { type: "image/png" }));
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, [PNG]);
    await page.waitForFunction(() => document.getElementById("note").value.includes("/uploads/"));
    await page.keyboard.press("Control+Enter");
    const picture = page.locator(".note-card img[alt=shot]");
    await picture.waitFor();
    const wide = await picture.evaluate(async (image) => {
      image.loading = "eager";
      await image.decode();
      return image.naturalWidth;
    });
    assert.ok(wide > 0, "the picture is there");
  } },
  { number: 11, name: "merge request of a pushed branch", gitea: 2, clicks: 2, loads: 2, from: front, async steps({ click, page }) {
    await click(".pushed a.button");
    if (await page.locator("#title").inputValue() === "") {
      await page.locator("#title:focus").waitFor();
      await page.keyboard.type("Oil the crank");
    }
    await click("main form[method=post]:has(#title) button.main");
    await page.waitForURL(/\/merge_requests\/\d+$/);
  } },
  { number: 12, name: "comment on one line", gitea: 3, clicks: 3, loads: 1, from: requestOf(2), async steps({ click, page }) {
    await click("main .tabs a[href$='/diffs']");
    await click("tr.added a[href*='comment=']");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Why so *often*?");
    await click("form:has(textarea:focus) button.main");
    await page.locator("em", { hasText: "often" }).waitFor();
  } },
  { number: 13, name: "review with 5 comments", gitea: 13, clicks: 12, loads: 2, from: requestOf(2), async steps({ click, page }) {
    await click("main .tabs a[href$='/diffs']");
    for (let line = 1; line <= 5; line += 1) {
      await click(`tr.added >> nth=${line} >> a[href*='comment=']`);
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.type(`Remark *number ${line}*.`);
      await click("form:has(textarea:focus) button[formaction*='/drafts']");
      await page.locator("em", { hasText: `number ${line}` }).first().waitFor();
    }
    await click("form[action*='/drafts/publish'] button.main");
    await page.locator(".flash[role=status]").waitFor();
  } },
  { number: 14, name: "approve", gitea: 3, clicks: 1, loads: 1, from: requestOf(1), async steps({ click, page }) {
    await click(".verdict form[action$='/approve'] button");
    await page.locator(".verdict form[action$='/unapprove'] button").waitFor();
  } },
  { number: 15, name: "squash and merge", gitea: 4, clicks: 2, loads: 1, from: requestOf(1), async steps({ click, page }) {
    await click(".verdict input[name=squash]");
    await click(".verdict form[action$='/merge'] button.main");
    await page.locator(".verdict.done").waitFor();
  } },
  { number: 16, name: "switch branch", gitea: 2, clicks: 2, loads: 1, from: front, async steps({ click, page }) {
    await click("main .bar details.menu >> nth=0 >> summary");
    await click("#found-refs a", "often");
    await page.waitForURL("**/tree/often");
  } },
  { number: 17, name: "find a file", gitea: 2, clicks: 1, loads: 2, from: front, async steps({ click, page }) {
    await click("a[data-key=t]");
    await page.locator("#search:focus").waitFor();
    await page.keyboard.type("main.r");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/src/main.rs");
  } },
  { number: 18, name: "search code in the project", gitea: 0, clicks: 0, loads: 1, from: front, async steps({ page }) {
    await page.keyboard.press("/");
    await page.keyboard.type("println");
    await page.keyboard.press("Enter");
    await page.locator("main table.code td", { hasText: "println" }).first().waitFor();
  } },
  { number: 19, name: "correct the readme", gitea: 2, clicks: 2, loads: 2, from: front, async steps({ click, page }) {
    await click("main a[aria-label='Edit the readme']");
    await page.locator(":is(#content, .cm-content):focus").waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Turn it by hand.\n");
    await click("main form[method=post] button.main");
    await page.getByText("Turn it by hand.").waitFor();
  } },
  { number: 20, name: "release of a tag", gitea: 3, clicks: 3, loads: 3, from: front, async steps({ click, page }) {
    await click("main a[href$='/tags']:visible");
    await click("main a[href$='/tags/v1?release=new']");
    await page.keyboard.type("It **turns**.");
    await click("form[action$='/release'] button.main");
    await page.locator("strong", { hasText: "turns" }).first().waitFor();
  } },
  { number: 21, name: "add a member", gitea: 4, clicks: 3, loads: 2, from: front, async steps({ click, page }) {
    await click(".place .tabs a[href$='/project_members']");
    await click("#user_ids");
    await page.keyboard.type("ada-of-tasks");
    await click("form:has(#user_ids) button.main");
    await page.locator("main .rows", { hasText: "@ada-of-tasks" }).waitFor();
  } },
  { number: 22, name: "watch a project", gitea: 1, clicks: 1, loads: 0, from: front, async steps({ click, page }) {
    await click(".crumbs form[action$='/notification_setting'] > button[value=watch] >> nth=0");
    await page.locator(".crumbs form[action$='/notification_setting'] > button[aria-pressed=true]").first().waitFor();
  } },
  { number: 23, name: "protect a branch", gitea: 4, clicks: 4, loads: 3, from: front, async steps({ click, page }) {
    await click(".place .tabs a[href$='/edit']");
    await click("main .tabs a[href$='/settings/repository']");
    await click("#protected_branch-name");
    await page.keyboard.type("stable-*");
    await click("form:has(#protected_branch-name) button");
    await page.locator("main code", { hasText: "stable-*" }).waitFor();
  } },
  { number: 23, name: "add a webhook", gitea: 5, clicks: 4, loads: 3, from: front, async steps({ click, page }) {
    await click(".place .tabs a[href$='/edit']");
    await click("main .tabs a[href$='/hooks']");
    await click("#hook-url");
    await page.keyboard.type("https://hooks.example/tool");
    await click("form:has(#hook-url) button.main");
    await page.locator("main a", { hasText: "hooks.example" }).waitFor();
  } },
  { number: 24, name: "dark mode", gitea: 6, clicks: 6, loads: 3, from: front, async steps({ click, choose, page }) {
    await click(".site .menu.last > summary");
    await click(".site .menu.last a[href$='/profile']");
    await click("nav a[href$='/profile/preferences']");
    await choose("#user_theme", "dark");
    await click("main button.main");
    await page.locator("html[data-theme=dark]").waitFor();
  } },
];

// The objects of the tasks: an issue without facts, a branch with lines to talk about, a pushed branch, a tag, another account.
const prepare = async ({ id, userId, user }) => {
  await make("POST", `/projects/${id}/issues`, { title: "The crank squeaks", description: "- [ ] look\n- [ ] oil\n" });
  const lines = Array.from({ length: LINES }, (_, line) => `    println!("turn ${line}");\n`).join("");
  const change = (content) => [{ action: "update", file_path: "src/main.rs", content }];
  await make("POST", `/projects/${id}/repository/commits`, {
    branch: "often", start_branch: "master", commit_message: "Turn often", actions: change(`fn main() {\n    println!("Hello");\n${lines}}\n`),
  });
  await make("POST", `/projects/${id}/merge_requests`, { source_branch: "often", target_branch: "master", title: "Turn often" });
  await make("POST", `/projects/${id}/repository/tags`, { tag_name: "v1", ref: "master" });
  await make("POST", "/users", { username: "ada-of-tasks", name: "Ada", email: "ada-of-tasks@example.org", password: PASSWORD, skip_confirmation: true });
  const { token } = await make("POST", `/users/${userId}/impersonation_tokens`, { name: "tasks", scopes: ["api"] });
  const pushed = await api("POST", `/api/v4/projects/${id}/repository/commits`, {
    branch: "oiled", start_branch: "master", commit_message: "Oil the crank", actions: [{ action: "create", file_path: "oil.txt", content: `${user}\n` }],
  }, { "PRIVATE-TOKEN": token });
  assert.equal(pushed.status, 201, JSON.stringify(pushed));
};

const carryOut = async (page, task, made) => {
  const cost = { clicks: 0, loads: 0 };
  await page.goto(url + task.from(made));
  const count = (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame() && !request.redirectedFrom()) cost.loads += 1;
  };
  page.on("request", count);
  const find = (selector, words) => (words ? page.locator(selector, { hasText: words }) : page.locator(selector)).first();
  const click = async (selector, words) => {
    cost.clicks += 1;
    await find(selector, words).click();
  };
  const choose = async (selector, value) => {
    cost.clicks += 2;
    await find(selector).selectOption(value);
  };
  await task.steps({ click, choose, page, world: made });
  page.off("request", count);
  return cost;
};

const aimOf = ({ aims = {}, gitea }) => Object.entries(aims).map(([what, number]) => `${number} ${what}`).join(", ") || (gitea === undefined ? "" : "–");

export const tasks = async (browser) => {
  const made = await world("tasks");
  await prepare(made);
  const someone = await person(browser, "script", [], { viewport: { width: 1280, height: 800 } });
  await signInFirst(someone, made.user);
  const rows = ["| # | task | clicks | loads | Gitea's clicks | aim |", "|--:|---|--:|--:|--:|---|"];
  const wrong = [];
  for (const task of TASKS) {
    const { clicks, loads, failure } = await carryOut(someone.page, task, made).catch((failure) => ({ failure }));
    if (failure) {
      wrong.push(`${task.name}: ${failure}`);
      continue;
    }
    rows.push(`| ${task.number} | ${task.name} | ${clicks} | ${loads} | ${task.gitea} | ${aimOf(task)} |`);
    if (clicks > task.clicks || loads > task.loads) wrong.push(`${task.name}: ${clicks} clicks, ${loads} loads`);
    if (clicks > task.gitea && !task.aims?.clicks) wrong.push(`${task.name}: ${clicks} clicks, and Gitea's ${task.gitea}`);
  }
  await someone.end();
  const table = `${rows.join("\n")}\n`;
  console.log(table);
  if (process.env.TENON_TARGET) writeFileSync(`${process.env.TENON_TARGET}/tasks.md`, table);
  assert.deepEqual(wrong, []);
  console.log(`ok: ${TASKS.length} tasks`);
};
