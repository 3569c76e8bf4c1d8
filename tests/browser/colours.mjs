// Code has its colours when one sees it first: files, and blocks of code in texts.

import assert from "node:assert/strict";

import { make, person, signIn, url } from "./browser.mjs";

const FILES = {
  "a.py": "def crank(turns):\n    return turns + 1  # once more\n", "b.go": "package main\n\nfunc main() {\n\tprintln(\"oil\")\n}\n",
  "c.kt": "fun crank() { println(1) }\n", "d.rb": "def crank\n  puts 'oil'\nend\n", "e.java": "class Crank { int turns = 1; }\n",
  "f.toml": "[crank]\nturns = 3\n", "g.sh": "#!/bin/sh\nif true; then echo oil; fi\n", "h.css": "a { color: red; }\n",
};
// The languages of blocks of code, with a word of the code whose colour is known.
const CODE = "fn crank() {\n\tlet oil = \"<b>&amp;\"; // twice\n}\n";
const TEXT = `Before\n\n\`\`\`rust\n${CODE}\`\`\`\n\n\`\`\`none\nplain\n\`\`\`\n`;

const coloured = (page, within) => page.locator(`${within} [class^="hl-"]`).count();

const checkBlock = async (page, where) => {
  const blocks = await page.locator(".markdown pre code").evaluateAll((all) => all.map((block) => [block.textContent, block.querySelectorAll("[class^='hl-']").length]));
  const [code, parts] = blocks.find(([text]) => text === CODE) ?? [];
  assert.equal(code, CODE, `${where}: ${JSON.stringify(blocks)}`);
  assert.ok(parts >= 4, `${where}: ${parts} parts have colours`);
  assert.deepEqual(blocks.find(([text]) => text === "plain\n"), ["plain\n", 0], where);
};

export const colours = async (browser, { id, path, user }) => {
  const someone = await person(browser, "script");
  const { page, hand } = someone;
  await signIn(someone, user);
  const actions = Object.entries(FILES).map(([file_path, content]) => ({ action: "create", file_path: `code/${file_path}`, content }));
  actions.push({ action: "create", file_path: "code/README.md", content: TEXT });
  await make("POST", `/projects/${id}/repository/commits`, { branch: "master", commit_message: "Code", actions });
  for (const name of Object.keys(FILES)) {
    await page.goto(`${url}${path}/blob/master/code/${name}`);
    assert.ok(await coloured(page, "table.code") > 0, `${name} has colours at the first visit`);
  }
  for (const below of ["/blob/master/code/README.md", "/tree/master/code"]) {
    await page.goto(url + path + below);
    if (below.startsWith("/blob")) await checkBlock(page, below);
  }
  const { iid } = await make("POST", `/projects/${id}/issues`, { title: "Code", description: TEXT });
  await page.goto(`${url}${path}/issues/${iid}`);
  await checkBlock(page, "an issue");
  await make("PUT", `/projects/${id}/issues/${iid}`, { description: "None." });
  await make("POST", `/projects/${id}/issues/${iid}/notes`, { body: TEXT });
  await page.goto(`${url}${path}/issues/${iid}`);
  await checkBlock(page, "a comment");
  await page.goto(`${url}${path}/issues/new`);
  await hand.fill(page, "Title", "Code");
  await hand.fill(page, "Description (Markdown supported)", TEXT);
  await hand.press(page, "Preview");
  await page.locator(".preview:visible").waitFor();
  await checkBlock(page, "a preview");
  await someone.end();
  console.log("ok: colours");
};
