// Where the content of pages begins, and how much of it is on a screen, in pixels from the top of the page.

import assert from "node:assert/strict";

import { make, person, signInFirst, url } from "./browser.mjs";

const SIZES = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];
const top = (selector) => ({ words: `first ${selector}`, of: selector, read: (page) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top + scrollY) });
const height = (selector) => ({ words: `height of ${selector}`, of: selector, read: (page) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().height) });
const onScreen = (selector) => ({
  words: `${selector} on a screen`, of: selector,
  read: (page) => page.locator(selector).evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().bottom + scrollY <= innerHeight).length),
});
const bottom = (selector) => ({ words: `end of ${selector}`, of: selector, read: (page) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().bottom + scrollY) });

// The page, what is measured on it, and the most that it may be at each width (`least`: the fewest). `aim` is what it should be.
const FILE = "table.files > tbody > tr";
const MEASURES = [
  { below: "", what: "first file", ...top(FILE), most: [277, 561] },
  { below: "", what: "height of a file", ...height(FILE), most: [37, 40] },
  { below: "", what: "files on a screen", ...onScreen(FILE), least: [14, 8] },
  { below: "/tree/master/src", what: "first file of a directory", ...top(FILE), most: [263, 400] },
  { below: "/issues", what: "first issue", ...top("ul.issuables > li"), most: [242, 404] },
  { below: "/merge_requests", what: "first merge request", ...top("ul.issuables > li"), most: [242, 404] },
  { below: "/commits/master", what: "first commit", ...top("main .rows > li"), most: [260, 408] },
  { below: "/branches", what: "first branch", ...top("main .rows > li"), most: [260, 404] },
  { below: "/branches", what: "height of a branch", ...height(".ref-row:not(.top)"), most: [48, 76] },
  { below: "/milestones", what: "first milestone", ...top("main .rows > li"), most: [260, 404] },
  { below: "/blob/master/src/main.rs", what: "first line of a file", ...top("table.code tr"), most: [260, 360] },
  { below: "/merge_requests/1/diffs", what: "first changed line", ...top("table.code tr:not(.hunk)"), most: [418, 424] },
  { below: "/issues/new", what: "button of a new issue", ...bottom("main form[method=post] button.main"), most: [800, 1040] },
];

export const measures = async (browser, { id, path, user }) => {
  const actions = Array.from({ length: 20 }, (_, file) => ({ action: "create", file_path: `part-${file}.txt`, content: "oil\n" }));
  await make("POST", `/projects/${id}/repository/commits`, { branch: "master", commit_message: "Parts", actions });
  const someone = await person(browser, "script");
  const { page } = someone;
  await signInFirst(someone, user);
  const rows = [`| page | ${SIZES.map(({ width, height: high }) => `${width} × ${high}`).join(" | ")} | limits |`, "|---|--:|--:|--:|"];
  const seen = new Map(MEASURES.map((one) => [one, []]));
  for (const [at, size] of SIZES.entries()) {
    await page.setViewportSize(size);
    for (const one of MEASURES) {
      await page.goto(url + path + one.below);
      await page.locator(one.of).first().waitFor();
      seen.get(one)[at] = Math.round(await one.read(page));
    }
  }
  const wrong = [];
  for (const [one, found] of seen) {
    const limits = one.most ?? one.least;
    rows.push(`| ${one.what} | ${found.join(" | ")} | ${one.least ? "≥" : "≤"} ${limits.join(", ")}${one.aim ? ` (aim ${one.aim})` : ""} |`);
    const isWrong = (number, at) => (one.least ? number < limits[at] : number > limits[at]);
    if (found.some(isWrong)) wrong.push(`${one.what}: ${found.join(", ")} px, limits ${limits.join(", ")}`);
  }
  console.log(`${rows.join("\n")}\n`);
  assert.deepEqual(wrong, []);
  await someone.end();
  console.log(`ok: ${MEASURES.length} measures`);
};
