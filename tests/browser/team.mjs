// A person finds a project, searches, manages members, reads a pipeline; and an administrator changes an account and a
// setting.

import assert from "node:assert/strict";

import { PASSWORD, make, person, signIn, url } from "./browser.mjs";

// From the list of all projects to the one, and back to it among the starred ones.
const find = async ({ page, hand }, { group, user }) => {
  await page.goto(url);
  await hand.follow(page, "Explore");
  await hand.fill(page, "Name", "Tool");
  await hand.press(page, "Filter");
  await hand.follow(page, `Engines ${user.replace("grace-", "").replaceAll("-", " ")} / Tool`);
  await page.waitForURL(`${url}${group}/tool`);
  await hand.press(page, "Star");
  await page.getByRole("button", { name: "Unstar" }).waitFor();
  await page.goto(`${url}/dashboard/projects/starred`);
  await page.getByText("1 total").waitFor();
};

// Over everything, then in the code of a project, to the line.
const search = async ({ page, hand }, { path }, mode) => {
  await page.goto(url);
  await hand.fill(page, "Search", "crank");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?**");
  // It opens at the scope with hits, with the numbers of all scopes.
  const tabs = page.getByRole("navigation", { name: "Scopes" });
  await page.getByRole("link", { name: "The crank sticks" }).first().waitFor();
  await tabs.getByRole("link", { name: /^Issues [1-9]\d*$/ }).waitFor();
  await hand.follow(page, /^Projects/, tabs);
  await page.getByText("No results").waitFor();
  // The script then adds the numbers of the other scopes; no room is left for a number that is not there.
  await tabs.getByRole("link", { name: mode === "without script" ? "Issues" : /^Issues \d+$/, exact: true }).waitFor();
  const room = await tabs.evaluate((nav) => [...nav.querySelectorAll("a")].map((link) => {
    const range = document.createRange();
    range.selectNodeContents(link.querySelector(".count") ?? link.firstChild);
    const words = link.querySelector(".count")?.getBoundingClientRect() ?? range.getBoundingClientRect();
    return link.getBoundingClientRect().right - words.right;
  }));
  assert.ok(room.every((wide) => wide <= 10), `behind the words of the tabs: ${room}`);
  // In a project the header searches the project.
  await page.goto(url + path);
  await hand.fill(page, "Search", "println");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?project_id=**");
  await hand.follow(page, "2", page.getByRole("table", { name: "Lines of src/main.rs" }));
  await page.waitForURL(/\/blob\/[^/]+\/src\/main\.rs#L2$/);
};

// Several at once, with a role and a day; then another role for one of them, and none.
const members = async ({ page, hand }, { id, path }, names) => {
  await page.goto(`${url}${path}/project_members`);
  await hand.fill(page, /^Usernames/, names.join(", "));
  await hand.choose(page, page.getByLabel("Role", { exact: true }), "Reporter");
  await page.getByRole("region", { name: "Add members" }).getByLabel(/^Access expiration date/).fill("2099-01-31");
  await hand.press(page, "Add members");
  await page.getByRole("heading", { name: `Direct members ${names.length}` }).waitFor();
  const levels = async () => (await make("GET", `/projects/${id}/members`)).map((member) => [member.access_level, member.expires_at]);
  assert.deepEqual(await levels(), names.map(() => [20, "2099-01-31"]));
  await hand.choose(page, page.getByLabel(`Role of ${names[0]}`), "Maintainer");
  await hand.press(page, `Save ${names[0]}`);
  await page.getByText("Maintainer, expires").waitFor();
  assert.deepEqual(await levels(), names.map((_, at) => [at === 0 ? 40 : 20, "2099-01-31"]));
  await hand.openNamed(page, `Remove ${names[1]}`);
  await hand.press(page, "Remove member");
  await page.getByRole("heading", { name: "Direct members 1" }).waitFor();
};

// The cause of a failure is on the page of the pipeline; a running job is cancelled.
const pipeline = async ({ page, hand }, { id, path }) => {
  const { id: tip } = await make("GET", `/projects/${id}/repository/commits/master`);
  await make("POST", `/projects/${id}/statuses/${tip}`, { state: "failed", name: "lint", description: "A gear is loose" });
  await make("POST", `/projects/${id}/statuses/${tip}`, { state: "running", name: "unit" });
  await page.goto(url + path);
  await hand.follow(page, "Pipelines");
  const [{ id: number }] = await make("GET", `/projects/${id}/pipelines`);
  await hand.follow(page, `#${number}`);
  await page.getByText("A gear is loose").waitFor();
  await hand.press(page, "Cancel pipeline");
  await page.getByText("cancelled").first().waitFor();
};

// Blocks an account and lets it in again; then a setting, which is in force at once.
const administration = async ({ page, hand }, name) => {
  await page.goto(`${url}/admin`);
  await hand.follow(page, "Users", page.getByRole("navigation", { name: "Administration" }));
  await hand.fill(page, "Name, username or email", name);
  await hand.press(page, "Search", page.getByRole("main"));
  await hand.openNamed(page, `Block ${name}`);
  await hand.press(page, "Block user");
  const state = async () => (await make("GET", `/users?username=${name}`))[0].state;
  await page.locator(".flash[role=status]").waitFor();
  assert.equal(await state(), "blocked");
  await page.goto(`${url}/admin/users?search=${name}`);
  await hand.press(page, `Unblock ${name}`);
  await page.locator(".flash[role=status]").waitFor();
  assert.equal(await state(), "active");
  await page.goto(`${url}/admin`);
  await hand.follow(page, "Settings", page.getByRole("navigation", { name: "Administration" }));
  const { default_projects_limit: limit } = await make("GET", "/application/settings");
  await hand.fill(page, /^Default personal project limit/, String(limit + 1));
  await hand.press(page, "Save");
  await page.locator(".flash[role=status]").waitFor();
  assert.equal((await make("GET", "/application/settings")).default_projects_limit, limit + 1);
};

export const team = async (browser, mode, world) => {
  const names = ["ada", "bob"].map((first) => `${first}-of-${world.user}`);
  for (const username of names) {
    await make("POST", "/users", { username, name: username, email: `${username}@example.org`, password: PASSWORD, skip_confirmation: true });
  }
  const someone = await person(browser, mode);
  await signIn(someone, world.user);
  await find(someone, world);
  await search(someone, world, mode);
  await members(someone, world, names);
  await pipeline(someone, world);
  await make("PUT", `/users/${world.userId}`, { admin: true });
  await administration(someone, names[0]);
  await someone.end();
  console.log(`ok: team, ${mode}`);
};
