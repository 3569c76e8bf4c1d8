// A browser, the ways in which a person uses it, and the rules for all pages.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

import { unsound } from "./kinds.mjs";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");

export const [url, token] = process.argv.slice(2);
export const PASSWORD = "correct horse 9";
export const MODES = ["script", "without script", "keyboard"];

// Sends a request to the API, as the administrator unless a header says otherwise.
export const api = async (method, path, body, header = { "PRIVATE-TOKEN": token }) => {
  const answer = await fetch(url + path, {
    method,
    headers: { "Content-Type": "application/json", ...header },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
};

// The same, but it has to succeed; the body of the answer.
export const make = async (method, path, body) => {
  const answer = await api(method, `/api/v4${path}`, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

// The ways in which a person fills a form and presses its button.
export const byMouse = {
  fill: (page, label, text) => page.getByLabel(label).fill(text),
  tick: (page, label) => page.getByLabel(label).check(),
  press: (page, name, within = page) => within.getByRole("button", { name, exact: true }).click(),
  choose: (page, field, words) => field.selectOption({ label: words }),
  follow: (page, name, within = page) => within.getByRole("link", { name, exact: true }).first().click(),
  open: (page, name) => page.locator("summary", { hasText: name }).first().click(),
  openNamed: (page, name) => page.getByLabel(name, { exact: true }).click(),
};
// Goes to an element as the Tab key does, and leads to it. A key pressed on it then waits, as a click does, until the
// page that it leads to has begun: the next step must not find something on the page before.
const focus = async (page, target) => {
  const wanted = await target.elementHandle();
  for (let steps = 0; steps < 200; steps += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return wanted;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${target}`);
};
const byKeyboard = {
  fill: async (page, label, text) => {
    await focus(page, page.getByLabel(label));
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(text);
  },
  tick: async (page, label) => {
    await focus(page, page.getByLabel(label));
    await page.keyboard.press("Space");
  },
  press: async (page, name, within = page) => (await focus(page, within.getByRole("button", { name, exact: true }))).press("Enter"),
  follow: async (page, name, within = page) => (await focus(page, within.getByRole("link", { name, exact: true }).first())).press("Enter"),
  // The first letters of a choice choose it.
  choose: async (page, field, words) => {
    await focus(page, field);
    await page.keyboard.type(words);
  },
  openNamed: async (page, name) => (await focus(page, page.getByLabel(name, { exact: true }))).press("Enter"),
  open: async (page, name) => (await focus(page, page.locator("summary", { hasText: name }).first())).press("Enter"),
};

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

// How long a step may take: the journeys run beside other tests, on a machine that is busy with them.
const PATIENCE = 120_000;

// The pages that one person has open, in a browser that others use as well.
export const open = async (browser, options = {}) => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  context.setDefaultNavigationTimeout(PATIENCE);
  return context;
};

// A person at a page, in one of the modes. `end` asserts that no page broke its policy, failed in its script, or asked
// another server than this one and `others` for anything. It also asserts that the last page is sound. `foresee` names
// a wanted failure that the console of the browser may report.
export const person = async (browser, mode, others = [], options = {}) => {
  const context = await open(browser, { javaScriptEnabled: mode !== "without script", ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const allowed = [url, ...others].some((own) => request.url().startsWith(own));
    if (!allowed) wrong.push(`asks ${request.url()}`);
  });
  // A refused form is answered with 422, which the console reports.
  const foreseen = ["status of 422"];
  const foresee = (text) => foreseen.push(text);
  const end = async () => {
    const last = await unsound(page);
    assert.deepEqual(last, [], mode);
    assert.deepEqual(wrong.filter((text) => !foreseen.some((part) => text.includes(part))), [], mode);
    await context.close();
  };
  return { page, hand: mode === "keyboard" ? byKeyboard : byMouse, foresee, end };
};

// Signs in for the first time, and replaces the password that an administrator has set.
export const signInFirst = async ({ page, hand }, name) => {
  await page.goto(`${url}/users/sign_in`);
  await hand.fill(page, "Username or email address", name);
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await page.goto(`${url}/profile/password/edit`);
  await hand.fill(page, "Current password", PASSWORD);
  await hand.fill(page, /^New password \(/, `${PASSWORD}0`);
  await hand.fill(page, "Confirm new password", `${PASSWORD}0`);
  await hand.press(page, "Save password");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
};

export const signIn = async ({ page, hand }, name) => {
  await page.goto(`${url}/users/sign_in`);
  await hand.fill(page, "Username or email address", name);
  await hand.fill(page, "Password", `${PASSWORD}0`);
  await hand.press(page, "Sign in");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
};

// The pixels by which a page is wider than its window: 0 or less.
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

// Nothing is cut off on a narrow screen.
export const assertFits = async (page, path) => {
  const beyond = await overflow(page);
  assert.ok(beyond <= 0, `${path} is ${beyond} pixels too wide`);
};

// Waits until the server answers.
export const ready = async () => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if ((await fetch(`${url}/-/readiness`).catch(() => null))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the server does not answer");
};
