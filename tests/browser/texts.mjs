// Texts of users with all that they may contain, on each page that shows them: pictures are there, headings are not smaller than their
// text, tables are aligned as they say, nothing is cut off on a narrow screen. And pictures that differ, before and after.

import assert from "node:assert/strict";

import { assertFits, make, person, signIn, token, url } from "./browser.mjs";
import { unsound } from "./kinds.mjs";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const svg = (colour) => `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="30"><style>rect { fill: ${colour} }</style><rect width="400" height="30"/></svg>\n`;
const HEADINGS = [1, 2, 3, 4, 5, 6].map((level) => `${"#".repeat(level)} Level ${level}\n\nText of level ${level}.\n`).join("\n");
const TABLE = "| left | center | right | usual |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |\n";
const SIDES = ["left", "center", "right", "start"];
const WIDTHS = [1280, 390];

// Uploads a file, and says how texts of the project name it.
const upload = async (id, name, content) => {
  const form = new FormData();
  form.append("file", new Blob([content]), name);
  const answer = await fetch(`${url}/api/v4/projects/${id}/uploads`, { method: "POST", headers: { "PRIVATE-TOKEN": token }, body: form });
  assert.equal(answer.status, 201, name);
  return (await answer.json()).markdown;
};

const commit = (id, branch, title, actions, start) => make("POST", `/projects/${id}/repository/commits`, {
  branch, commit_message: title, actions: actions.map(([action, file_path, content]) => ({
    action, file_path, content: Buffer.from(content).toString("base64"), encoding: "base64",
  })), ...(start && { start_branch: start }),
});

// A private project in the group of the world, whose members may see it.
const library = async ({ id: beside }) => {
  const { namespace } = await make("GET", `/projects/${beside}`);
  const { id } = await make("POST", "/projects", { name: "Library", path: "library", namespace_id: namespace.id, visibility: "private" });
  const [png, drawn, film] = [await upload(id, "dot.png", PNG), await upload(id, "drawn.svg", svg("teal")), await upload(id, "film.mp4", PNG)];
  const uploads = `${png} ${drawn} ${film}\n`;
  const text = `${HEADINGS}\n${TABLE}\n${uploads}\nSee[^1].\n\n[^1]: There.\n`;
  await commit(id, "master", "Begin", [
    ["create", "README.md", `${HEADINGS}\n${TABLE}\n![logo](logo.png) ![drawn](drawn.svg)\n`], ["create", "logo.png", PNG],
    ["create", "drawn.svg", svg("teal")], ["create", "a.txt", "one\ntwo"],
  ]);
  const { id: tip } = await commit(id, "redraw", "Redraw", [
    ["update", "logo.png", Buffer.concat([PNG, PNG])], ["update", "drawn.svg", svg("navy")], ["create", "new.png", PNG], ["update", "a.txt", "one\nzwei"],
  ], "master");
  await make("POST", `/projects/${id}/milestones`, { title: "1.0", description: text });
  await make("POST", `/projects/${id}/issues`, { title: "Look", description: text });
  for (let count = 0; count < 2; count += 1) await make("POST", `/projects/${id}/issues/1/notes`, { body: text });
  await make("POST", `/projects/${id}/merge_requests`, { source_branch: "redraw", target_branch: "master", title: "Redraw", description: text });
  const { diff_refs: refs } = await make("GET", `/projects/${id}/merge_requests/1`);
  const position = { ...refs, position_type: "text", old_path: "a.txt", new_path: "a.txt", new_line: 2 };
  await make("POST", `/projects/${id}/merge_requests/1/discussions`, { body: text, position });
  await make("POST", `/projects/${id}/releases`, { tag_name: "v1", ref: "master", description: text });
  return { id, tip, path: `/${namespace.full_path}/library` };
};

const checkTables = async (page, at) => {
  const cells = await page.locator(".markdown :is(th, td)").evaluateAll((all) => all.map((cell) => [cell.cellIndex, getComputedStyle(cell).textAlign]));
  assert.ok(cells.length >= 8, `${at}: ${cells.length} cells`);
  for (const [index, side] of cells) assert.equal(side, SIDES[index], `${at}: the text of column ${index}`);
  for (const head of await page.locator(".markdown thead").all()) assert.ok(await head.isVisible(), `${at}: the head of a table`);
};

const checkNames = async (page, at) => {
  const names = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), [], `${at}: names that two places have`);
};

// Both sides of each picture that differs, as large as it is and no larger than its room.
const checkPictures = async (page, at) => {
  const seen = await page.locator(".pictures img").evaluateAll((all) => all.map(({ alt }) => alt));
  assert.deepEqual(seen.toSorted(), ["drawn.svg after", "drawn.svg before", "logo.png after", "logo.png before", "new.png after"], at);
};

export const texts = async (browser, world) => {
  const { tip, path } = await library(world);
  const someone = await person(browser, "script");
  const { page } = someone;
  await signIn(someone, world.user);
  const withText = ["", "/blob/master/README.md", "/issues/1", "/merge_requests/1", "/merge_requests/1/diffs?view=inline", "/merge_requests/1/diffs?view=parallel", "/milestones/1", "/releases"];
  const withPictures = [`/commit/${tip}`, "/compare/master...redraw", "/merge_requests/1/diffs?view=inline", "/merge_requests/1/diffs?view=parallel"];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const below of new Set([...withText, ...withPictures])) {
      const at = `${path}${below}, ${width} px`;
      await page.goto(url + path + below);
      assert.deepEqual(await unsound(page), [], at);
      await assertFits(page, at);
      await checkNames(page, at);
      if (withText.includes(below)) await checkTables(page, at);
      if (withPictures.includes(below)) await checkPictures(page, at);
    }
  }
  // A missing end of line parts no pair: both sides are in one row, and their remarks in the next.
  await page.goto(`${url}${path}/merge_requests/1/diffs?view=parallel`);
  const row = page.locator("table.parallel tr", { has: page.locator("td.removed", { hasText: "two" }) });
  assert.equal(await row.locator("td.added").textContent(), "zwei");
  assert.equal(await page.locator("table.parallel tr", { has: page.locator("td.marker") }).locator("td.marker").count(), 2);
  await someone.end();
  console.log("ok: texts");
};

// Another place for a new project is another page of the form, which has what was typed.
export const newProject = async (browser, { user, group }) => {
  const someone = await person(browser, "script");
  const { page } = someone;
  await signIn(someone, user);
  await page.goto(`${url}/projects/new`);
  await page.getByLabel("Name", { exact: true }).fill("Loom");
  await page.getByLabel("Description").fill("It *weaves*.\nTwice.");
  await page.getByLabel("Initialize with a README").check();
  await page.getByLabel(/Internal:/).check();
  await page.getByLabel(/^Import from Git/).fill("https://ada:secret@elsewhere.example/loom.git");
  await page.getByLabel("Namespace", { exact: true }).selectOption({ label: group.slice(1) });
  await page.waitForURL("**/projects/new?namespace_id=**");
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Loom");
  assert.equal(await page.getByLabel("Description").inputValue(), "It *weaves*.\nTwice.");
  assert.ok(await page.getByLabel("Initialize with a README").isChecked(), "the readme");
  assert.ok(await page.getByLabel(/Internal:/).isChecked(), "the visibility");
  assert.equal(await page.getByLabel(/^Import from Git/).inputValue(), "https://elsewhere.example/loom.git");
  assert.ok(!page.url().includes("secret"), "no password is in the address");
  await someone.end();
  console.log("ok: a new project");
};
