// A person signs up, signs in, makes a token, and authorizes an application.

import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

import { MODES, PASSWORD, api, assertFits, byMouse, open, person, url } from "./browser.mjs";

export const account = async (browser, mode, application, callback) => {
  const { page, hand, end } = await person(browser, mode, [new URL(callback).origin]);
  const name = `ada-${mode.replaceAll(" ", "-")}`;

  // Signs up, and is in.
  await page.goto(`${url}/`);
  assert.equal(new URL(page.url()).pathname, "/users/sign_in");
  await page.goto(`${url}/users/sign_up`);
  await hand.fill(page, "Full name", "Ada Lovelace");
  await hand.fill(page, "Username", name);
  await hand.fill(page, "Email address", `${name}@example.org`);
  await hand.fill(page, /^Password/, PASSWORD);
  await hand.press(page, "Sign up");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await page.getByRole("status").getByText("Account created.").waitFor();

  // Signs out, and in again.
  await page.goto(`${url}/users/sign_out`);
  await hand.press(page, "Sign out");
  await hand.fill(page, "Username or email address", name);
  await hand.fill(page, "Password", "wrong");
  await hand.press(page, "Sign in");
  await page.getByRole("alert").getByText("Invalid username or password.").waitFor();
  assert.equal(await page.getByLabel("Username or email address").inputValue(), name);
  await page.goto(`${url}/profile/personal_access_tokens`);
  await hand.fill(page, "Username or email address", name);
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");

  // Was led back; makes a token, which the API takes.
  await page.getByRole("heading", { name: "Access tokens" }).waitFor();
  await hand.fill(page, "Name", "first");
  await hand.tick(page, /api Full access/);
  await hand.press(page, "Create token");
  const made = await page.getByLabel("Your new token").inputValue();
  const user = await api("GET", "/api/v4/user", undefined, { "PRIVATE-TOKEN": made });
  assert.deepEqual([user.status, user.body.username], [200, name]);

  // Registers an application of their own, and changes it.
  await page.goto(`${url}/oauth/applications`);
  await hand.follow(page, "New application");
  await hand.fill(page, /^Name/, "Own");
  await hand.fill(page, /^Callback URLs/, callback);
  await hand.tick(page, /read_user Read your profile/);
  await hand.press(page, "Create application");
  assert.match(await page.getByLabel("Secret", { exact: true }).inputValue(), /^[0-9a-f]{64}$/);
  await hand.follow(page, "Edit");
  await hand.fill(page, /^Callback URLs/, "javascript:alert(1)");
  await hand.press(page, "Save");
  await page.locator("[aria-invalid=true]").waitFor();
  const refused = page.getByLabel(/^Callback URLs/);
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
    await assertFits(page, path);
  }
  await end();
  console.log(`ok: account, ${mode}`);
};

// An application opens the page for consent in a window of its own, in which the user signs in first. The window and
// the application still know each other at the end: the application gets the result by that.
export const inWindow = async (browser, application, callback) => {
  const context = await open(browser);
  const page = await context.newPage();
  await page.goto(new URL(callback).origin);
  const openWindow = async (address) => {
    const opened = page.waitForEvent("popup");
    await page.evaluate((target) => { window.opened = window.open(target); }, address);
    return opened;
  };
  const asked = new URLSearchParams({
    client_id: application.application_id, redirect_uri: callback, response_type: "code", scope: "api", state: "s",
  });
  const popup = await openWindow(`${url}/oauth/authorize?${asked}`);
  await byMouse.fill(popup, "Username or email address", "ada-script");
  await byMouse.fill(popup, "Password", PASSWORD);
  await byMouse.press(popup, "Sign in");
  await byMouse.press(popup, "Authorize");
  await popup.waitForURL(`${callback}**`);
  assert.equal(await popup.evaluate(() => Boolean(window.opener)), true, "the window knows who has opened it");
  assert.equal(await page.evaluate(() => window.opened.location.pathname), "/callback");
  const other = await openWindow(`${url}/profile/keys`);
  await other.getByRole("heading", { name: "SSH keys" }).waitFor();
  assert.equal(await other.evaluate(() => Boolean(window.opener)), false, "other pages do not");
  await context.close();
  console.log("ok: in a window of its own");
};

// The viewer of the API sends requests in the session of the person. This includes writes, which need the token of the
// session's pages.
export const tryApi = async (browser) => {
  const { page, hand, end } = await person(browser, "script");
  await page.goto(`${url}/users/sign_in`);
  await hand.fill(page, "Username or email address", "ada-script");
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await page.goto(`${url}/api/v4/docs#/Groups/post_groups`);
  const operation = page.locator("#operations-Groups-post_groups");
  await operation.locator("textarea").fill('{"name": "Tried", "path": "tried"}');
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table").getByText("201", { exact: true }).first().waitFor();
  assert.equal((await api("GET", "/api/v4/groups/tried")).body.name, "Tried");
  assert.ok(!(await operation.innerText()).includes("X-CSRF-Token"), "the command line that is shown has no secret");
  await end();
  console.log("ok: the API is tried");
};

// A person adds a passkey, and signs in with it: without a password, and after one. The authenticator is one that the browser makes up.
export const passkeys = async (browser) => {
  const { page, hand, end } = await person(browser, "script");
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${url}/users/sign_in`);
  await hand.fill(page, "Username or email address", "ada-script");
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();

  // A wrong password makes no passkey.
  await page.goto(`${url}/profile/two_factor_auth`);
  await hand.fill(page, "Name", "Laptop");
  await hand.fill(page, "Current password", "wrong");
  await hand.press(page, "Add passkey");
  await page.getByRole("alert").getByText("Password is invalid").waitFor();
  await hand.fill(page, "Current password", PASSWORD);
  await hand.press(page, "Add passkey");
  const codes = (await page.locator("#recovery-codes").innerText()).split(/\s+/).filter(Boolean);
  assert.equal(codes.length, 10);
  const made = await session.send("WebAuthn.getCredentials", { authenticatorId });
  assert.equal(made.credentials.length, 1);
  await page.getByRole("heading", { name: "Laptop" }).waitFor();

  const signOut = async () => {
    await page.goto(`${url}/users/sign_out`);
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  };
  await signOut();
  await hand.press(page, "Sign in with a passkey");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await signOut();
  await hand.fill(page, "Username or email address", "ada-script");
  await hand.fill(page, "Password", PASSWORD);
  await hand.press(page, "Sign in");
  await hand.press(page, "Verify with a passkey");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();

  // A user who is not verified does not get in without a password.
  await signOut();
  await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await hand.press(page, "Sign in with a passkey");
  await page.getByRole("alert").getByText("The passkey was not used.").waitFor();
  await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await hand.press(page, "Sign in with a passkey");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();

  // The last one takes two-factor authentication away.
  await page.goto(`${url}/profile/two_factor_auth`);
  await page.getByLabel("Edit Laptop").click();
  await page.locator("details[open]").getByLabel("Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByRole("status").getByText("Passkey removed.").waitFor();
  await end();
  console.log("ok: passkeys");
};

// A sign-in provider that lets everyone in, as a user of its own each time.
const provider = async (issuer) => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const given = { nonce: "", subject: "" };
  const token = () => {
    const now = Math.floor(Date.now() / 1000);
    const { nonce, subject } = given;
    const claims = {
      iss: issuer, aud: "tenon", sub: subject, nonce, iat: now, exp: now + 60, email: `${subject}@provider.example`,
      email_verified: true, name: "Grace Hopper", preferred_username: subject,
    };
    const message = `${part({ alg: "ES256", kid: "k" })}.${part(claims)}`;
    return `${message}.${sign("sha256", Buffer.from(message), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  };
  const answers = {
    "/.well-known/openid-configuration": () => ({
      issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`,
    }),
    "/keys": () => ({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "ES256" }] }),
    "/token": () => ({ access_token: "a", token_type: "Bearer", id_token: token() }),
  };
  const server = createServer((request, answer) => {
    const asked = new URL(request.url, issuer);
    if (asked.pathname === "/authorize") {
      given.nonce = asked.searchParams.get("nonce");
      const back = new URL(asked.searchParams.get("redirect_uri"));
      back.search = new URLSearchParams({ code: "c", state: asked.searchParams.get("state") });
      answer.writeHead(302, { location: back.href }).end();
      return;
    }
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify(answers[asked.pathname]?.() ?? {}));
  }).listen(new URL(issuer).port, "127.0.0.1");
  await once(server, "listening");
  return { given, close: () => server.close() };
};

// A person signs in with an account elsewhere, which makes one here, and finds it among the linked ones.
export const elsewhere = async (browser) => {
  const issuer = process.env.TENON_OPENID_ISSUER;
  const { given, close } = await provider(issuer);
  for (const mode of MODES) {
    given.subject = `grace-${mode.replaceAll(" ", "-")}`;
    const { page, hand, end } = await person(browser, mode, [issuer]);
    await page.goto(`${url}/users/sign_in?return_to=%2Fprofile%2Fidentities`);
    await hand.press(page, "Sign in with Provider");
    await page.getByRole("heading", { name: "Linked accounts" }).waitFor();
    await page.getByText(`Linked to ${given.subject}`).waitFor();
    await assertFits(page, "/profile/identities");
    await end();
  }
  close();
  console.log("ok: accounts elsewhere");
};
