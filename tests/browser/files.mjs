// Files: a correction in the editor, a template, files that are uploaded, and a proposal of somebody who may not push.

import assert from "node:assert/strict";

import { PASSWORD, make, person, signIn, signInFirst, url } from "./browser.mjs";

const FIELD = ":is(#content, .cm-content)";
const content = async (id, path, branch = "master") => {
  const { content: text } = await make("GET", `/projects/${id}/repository/files/${encodeURIComponent(path)}?ref=${branch}`);
  return Buffer.from(text, "base64").toString();
};
// The cursor stands in the field, which with script is that of the editor.
const inField = (page, mode) => page.locator(`${mode === "without script" ? "#content" : ".cm-content"}:focus`).waitFor();

const correct = async ({ page, hand }, mode, { id, path }) => {
  const before = await content(id, "src/main.rs");
  await page.goto(`${url}${path}/blob/master/src/main.rs`);
  await hand.follow(page, "Edit");
  await inField(page, mode);
  await page.keyboard.press("Control+End");
  await page.keyboard.type(`// ${mode}`);
  if (mode !== "without script") {
    await page.keyboard.press("Tab");
    await page.locator(`${FIELD}:focus`).waitFor();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(`${FIELD}:focus`).count(), 0, "Tab leaves the editor after Escape");
    await page.getByText("Esc, then Tab leaves the editor").waitFor();
  }
  await hand.press(page, "Commit changes");
  await page.getByText("Changes committed.").waitFor();
  assert.equal(await content(id, "src/main.rs"), `${before}// ${mode}`, "all other bytes stay");
};

const begin = async ({ page, hand }, mode, { id, path }) => {
  await page.goto(`${url}${path}/tree/master`);
  await hand.open(page, "Add file");
  await hand.follow(page, "New file");
  await page.locator("#template").selectOption("license/mit");
  if (mode === "without script") await hand.press(page, "Apply");
  await page.waitForFunction(() => document.getElementById("path").value === "LICENSE");
  const name = `LICENSE-${mode.replaceAll(" ", "-")}`;
  await page.locator("#path").fill(name);
  await page.locator("#message").focus();
  await hand.press(page, "Commit changes");
  await page.getByText("Changes committed.").waitFor();
  assert.match(await content(id, name), /^MIT License\n[^]*Grace Hopper/);
};

const upload = async ({ page, hand }, mode, { id, path }) => {
  const name = `${mode.replaceAll(" ", "-")}.bin`;
  await page.goto(`${url}${path}/tree/master/src`);
  await hand.open(page, "Add file");
  await hand.follow(page, "Upload files");
  const file = (text) => [{ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) }];
  await page.locator("#files").setInputFiles([...file("one"), { name: `second-${name}`, mimeType: "text/plain", buffer: Buffer.from("two") }]);
  await hand.press(page, "Upload files");
  await page.getByRole("link", { name: `second-${name}` }).first().waitFor();
  assert.equal(await content(id, `src/${name}`), "one");
  await page.goto(`${url}${path}/new/master/src?upload=1`);
  await page.locator("#files").setInputFiles(file("other"));
  await hand.press(page, "Upload files");
  await page.getByText("already exists").first().waitFor();
  await page.locator("#files").setInputFiles(file("other"));
  await hand.tick(page, "Replace existing files");
  await hand.press(page, "Upload files");
  await page.getByText("Changes committed.").waitFor();
  assert.equal(await content(id, `src/${name}`), "other");
};

// A reader makes a fork, waits for it, and proposes a change there.
const propose = async (browser, mode, { path }) => {
  const username = `reader-${mode.replaceAll(" ", "-")}`;
  await make("POST", "/users", { username, name: "Rita Reader", email: `${username}@example.org`, password: PASSWORD, skip_confirmation: true });
  const reader = await person(browser, mode);
  const { page, hand } = reader;
  await signInFirst(reader, username);
  await page.goto(`${url}${path}/blob/master/README.md`);
  await hand.follow(page, "Edit");
  await hand.press(page, "Fork project");
  // The page of the waiting leads to the form by itself.
  await inField(page, mode);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Proposed.");
  await page.keyboard.press("Escape");
  await hand.press(page, "Commit changes");
  await page.getByRole("heading", { name: "New merge request" }).waitFor();
  await page.getByLabel("Title").fill(`Proposed ${mode}`);
  await hand.press(page, "Create merge request");
  await page.waitForURL(`**${path}/merge_requests/*`);
  await page.getByRole("heading", { name: `Proposed ${mode}` }).waitFor();
  await reader.end();
};

// How long the editor takes to be there with a file of 5,000 lines, from the moment at which it is loaded.
const LINES = 5_000;
const MOST = 300;
const TRIES = 5;
const measure = async (page, { id, path }) => {
  const text = Array.from({ length: LINES }, (_, line) => `    let value_${line} = compute("text", ${line}); // Line ${line}\n`).join("");
  await make("POST", `/projects/${id}/repository/files/long.rs`, { branch: "master", commit_message: "Long", content: text });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".cm-line")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.edited = performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
  const times = [];
  for (let count = 0; count < TRIES; count += 1) {
    await page.goto(`${url}${path}/edit/master/long.rs`);
    await page.waitForFunction(() => window.edited);
    times.push(await page.evaluate(() => window.edited - performance.getEntriesByType("resource").find(({ name }) => name.includes("/editor-")).startTime));
  }
  const best = Math.round(Math.min(...times));
  console.log(`the editor opens ${LINES} lines in ${best} ms`);
  assert.ok(best <= MOST, `the editor opens ${LINES} lines in ${best} ms, more than ${MOST}`);
};

export const files = async (browser, mode, world) => {
  const someone = await person(browser, mode);
  await signIn(someone, world.user);
  await correct(someone, mode, world);
  await begin(someone, mode, world);
  await upload(someone, mode, world);
  if (mode === "script") await measure(someone.page, world);
  await someone.end();
  await propose(browser, mode, world);
};
