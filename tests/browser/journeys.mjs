// Journeys of a person in a real browser: signs up, signs in, makes a token, authorizes an application. Each with script,
// without script, and by keyboard alone. Nothing may break the policy of the pages, or ask another server for anything.
//
//   node journeys.mjs URL TOKEN   (of an administrator; playwright-core is found through NODE_PATH)

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");

const [url, token] = process.argv.slice(2);
const PASSWORD = "correct horse 9";

const api = async (method, path, body, header = { "PRIVATE-TOKEN": token }) => {
  const answer = await fetch(url + path, {
    method,
    headers: { "Content-Type": "application/json", ...header },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
};

// The ways in which a person fills a form and presses its button.
const byMouse = {
  fill: (page, label, text) => page.getByLabel(label).fill(text),
  tick: (page, label) => page.getByLabel(label).check(),
  press: (page, name) => page.getByRole("button", { name, exact: true }).click(),
  follow: (page, name) => page.getByRole("link", { name, exact: true }).click(),
};
const focus = async (page, target) => {
  const wanted = await target.elementHandle();
  for (let steps = 0; steps < 60; steps += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
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
  press: async (page, name) => {
    await focus(page, page.getByRole("button", { name, exact: true }));
    await page.keyboard.press("Enter");
  },
  follow: async (page, name) => {
    await focus(page, page.getByRole("link", { name, exact: true }));
    await page.keyboard.press("Enter");
  },
};

const journey = async (browser, mode, application, callback) => {
  const hand = mode === "keyboard" ? byKeyboard : byMouse;
  const context = await browser.newContext({ javaScriptEnabled: mode !== "without script" });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const allowed = [url, new URL(callback).origin].some((own) => request.url().startsWith(own));
    if (!allowed) wrong.push(`asks ${request.url()}`);
  });
  const name = `ada-${mode.replaceAll(" ", "-")}`;

  // Signs up, and is in.
  await page.goto(`${url}/`);
  assert.equal(new URL(page.url()).pathname, "/users/sign_in");
  await page.goto(`${url}/users/sign_up`);
  await hand.fill(page, "Full name", "Ada Lovelace");
  await hand.fill(page, "User name", name);
  await hand.fill(page, "E-mail address", `${name}@example.org`);
  await hand.fill(page, /^Password/, PASSWORD);
  await hand.press(page, "Sign up");
  await page.getByRole("heading", { name: "Your projects" }).waitFor();
  await page.getByRole("status").getByText("Your account was created.").waitFor();

  // Signs out, and in again.
  await page.goto(`${url}/users/sign_out`);
  await hand.press(page, "Sign out");
  await hand.fill(page, "User name or e-mail address", name);
  await hand.fill(page, "Password", "wrong");
  await hand.press(page, "Sign in");
  await page.getByRole("alert").getByText("Invalid Login or password.").waitFor();
  assert.equal(await page.getByLabel("User name or e-mail address").inputValue(), name);
  await page.goto(`${url}/profile/personal_access_tokens`);
  await hand.fill(page, "User name or e-mail address", name);
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");

  // Was led back; makes a token, which the API takes.
  await page.getByRole("heading", { name: "Access tokens" }).waitFor();
  await hand.fill(page, "Name", "first");
  await hand.tick(page, /api Everything/);
  await hand.press(page, "Make the token");
  const made = await page.getByLabel("Your new token").inputValue();
  const user = await api("GET", "/api/v4/user", undefined, { "PRIVATE-TOKEN": made });
  assert.deepEqual([user.status, user.body.username], [200, name]);

  // Registers an application of their own, and changes it.
  await page.goto(`${url}/oauth/applications`);
  await hand.follow(page, "New application");
  await hand.fill(page, /^Name/, "Own");
  await hand.fill(page, /^Callback addresses/, callback);
  await hand.tick(page, /read_user Read your profile/);
  await hand.press(page, "Register");
  assert.match(await page.getByLabel("The secret", { exact: true }).inputValue(), /^[0-9a-f]{64}$/);
  await hand.follow(page, "Edit");
  await hand.fill(page, /^Callback addresses/, "javascript:alert(1)");
  await hand.press(page, "Save");
  const refused = page.getByLabel(/^Callback addresses/);
  const reason = await refused.evaluate((field) => document.getElementById(field.getAttribute("aria-describedby")).textContent);
  assert.match(reason, /is forbidden by the server/);

  // Authorizes an application, which then acts.
  const asked = new URLSearchParams({
    client_id: application.application_id, redirect_uri: callback, response_type: "code", scope: "read_user", state: "s",
  });
  await page.goto(`${url}/oauth/authorize?${asked}`);
  await page.getByRole("heading", { name: "Authorize App?" }).waitFor();
  await hand.press(page, "Authorize");
  await page.waitForURL(`${callback}**`);
  const issued = await api("POST", "/oauth/token", {
    grant_type: "authorization_code", code: new URL(page.url()).searchParams.get("code"), redirect_uri: callback,
    client_id: application.application_id, client_secret: application.secret,
  });
  assert.equal(issued.status, 200, JSON.stringify(issued));
  const bearer = { Authorization: `Bearer ${issued.body.access_token}` };
  assert.equal((await api("GET", "/api/v4/user", undefined, bearer)).body.username, name);

  // On a narrow screen nothing is cut off.
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of ["/", "/profile/personal_access_tokens", "/profile/keys", "/profile/active_sessions", "/oauth/applications", "/oauth/applications/new"]) {
    await page.goto(url + path);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(beyond <= 0, `${path} is ${beyond} pixels too wide`);
  }
  // A refused password is answered with 422, which the console of the browser reports.
  assert.deepEqual(wrong.filter((text) => !text.includes("status of 422")), [], mode);
  await context.close();
  console.log(`ok: ${mode}`);
};

// An application opens the page for consent in a window of its own, where the user signs in first. The window and the
// application still know each other at the end: that is how the application learns of it.
const inWindow = async (browser, application, callback) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL(callback).origin);
  const open = async (address) => {
    const opened = page.waitForEvent("popup");
    await page.evaluate((target) => { window.opened = window.open(target); }, address);
    return opened;
  };
  const asked = new URLSearchParams({
    client_id: application.application_id, redirect_uri: callback, response_type: "code", scope: "api", state: "s",
  });
  const popup = await open(`${url}/oauth/authorize?${asked}`);
  await byMouse.fill(popup, "User name or e-mail address", "ada-script");
  await byMouse.fill(popup, "Password", PASSWORD);
  await byMouse.press(popup, "Sign in");
  await byMouse.press(popup, "Authorize");
  await popup.waitForURL(`${callback}**`);
  assert.equal(await popup.evaluate(() => Boolean(window.opener)), true, "the window knows who has opened it");
  assert.equal(await page.evaluate(() => window.opened.location.pathname), "/callback");
  const other = await open(`${url}/profile/keys`);
  await other.getByRole("heading", { name: "SSH keys" }).waitFor();
  assert.equal(await other.evaluate(() => Boolean(window.opener)), false, "other pages do not");
  await context.close();
  console.log("ok: in a window of its own");
};

const ready = async () => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if ((await fetch(`${url}/-/readiness`).catch(() => null))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the server does not answer");
};

await ready();
// The application: it only has to be there when the browser arrives.
const listener = createServer((_, answer) => answer.end("arrived")).listen(0, "127.0.0.1");
await once(listener, "listening");
const callback = `http://127.0.0.1:${listener.address().port}/callback`;
const made = await api("POST", "/api/v4/applications", {
  name: "App", redirect_uri: callback, scopes: "api read_user", confidential: true,
});
assert.equal(made.status, 201, JSON.stringify(made));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
try {
  for (const mode of ["script", "without script", "keyboard"]) await journey(browser, mode, made.body, callback);
  await inWindow(browser, made.body, callback);
} finally {
  await browser.close();
  listener.close();
}
