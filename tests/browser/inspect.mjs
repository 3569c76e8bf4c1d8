// What holds for each kind of page: it is accessible (axe) in light and dark and on a narrow screen, its HTML is valid
// (html-validate), and nothing moves while it loads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { assertFits, make, person, signIn, signInFirst, url } from "./browser.mjs";

const require = createRequire(import.meta.url);
const { HtmlValidate } = require("html-validate");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const LOOKS = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { colorScheme: "light", viewport: { width: 320, height: 640 } },
];
// What the validator asks for beside the standard: style, and not what browsers do.
const validator = new HtmlValidate({
  extends: ["html-validate:standard"],
  rules: {
    "no-trailing-whitespace": "off", "void-style": "off", "no-inline-style": "error", "require-sri": "off", "long-title": "off",
    "attr-quotes": "off", "doctype-style": "off",
  },
});

const STRANGERS = ["/users/sign_in", "/users/sign_up", "/users/password/new", "/help/licences", "/no/such/page"];
const OWN = [
  "/", "/dashboard/projects/starred", "/dashboard/issues", "/dashboard/merge_requests", "/dashboard/todos", "/explore/projects",
  "/explore/groups", "/projects/new", "/groups/new", "/search", "/search?search=crank", "/profile/personal_access_tokens", "/profile/keys", "/profile/gpg_keys", "/profile/emails", "/profile/password/edit",
  "/profile/active_sessions", "/profile/notifications", "/profile/two_factor_auth", "/oauth/applications", "/oauth/applications/new",
];
const ADMIN = ["/admin", "/admin/users", "/admin/users/new", "/admin/application_settings", "/admin/projects", "/admin/groups"];
const OF_GROUP = ["/-/issues", "/-/merge_requests", "/-/milestones", "/-/group_members", "/-/edit"];
const OF_PROJECT = [
  "", "/tree/master", "/tree/master/src", "/blob/master/src/main.rs", "/blob/master/README.md", "/commits/master", "/branches", "/tags",
  "/compare", "/compare/master...goodbye", "/compare/master...goodbye?w=1", "/blame/master/src/main.rs", "/find_file/master",
  "/issues", "/issues?state=all&label_name[]=bug", "/issues/new", "/issues/1", "/issues/1/edit", "/labels", "/labels/new", "/milestones",
  "/milestones/new", "/milestones/1", "/merge_requests", "/merge_requests/new", "/merge_requests/1", "/merge_requests/1/commits",
  "/merge_requests/1/diffs", "/merge_requests/1/diffs?view=parallel", "/merge_requests/1/pipelines", "/merge_requests/1/edit",
  "/project_members", "/edit", "/pipelines", "/forks", "/forks/new", "/settings/repository", "/hooks",
];

const findings = async (page, path) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags }), RULES);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${path}: ${id} at ${target}: ${html}`));
};

const moved = (page) => page.evaluate(() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
}));

const look = async ({ page }, paths, isFirst, wrong) => {
  for (const path of paths) {
    const answer = await page.goto(url + path);
    const html = isFirst ? await answer.text() : "";
    wrong.push(...await findings(page, path));
    const shift = await moved(page);
    // The script writes dates in the reader's zone, which are some letters longer or shorter.
    if (shift >= 0.005) wrong.push(`${path}: its parts move by ${shift} while it loads`);
    if (page.viewportSize().width === 320) await assertFits(page, path);
    if (!isFirst) continue;
    const report = await validator.validateString(html);
    const messages = report.results.flatMap((result) => result.messages);
    wrong.push(...messages.map(({ line, column, ruleId, message }) => `${path}:${line}:${column} ${ruleId}: ${message}`));
  }
};

export const inspect = async (browser, { id, user, userId, path, group }) => {
  const wrong = [];
  await make("PUT", `/users/${userId}`, { admin: true });
  const [pipeline] = await make("GET", `/projects/${id}/pipelines`);
  const own = [
    ...OWN, ...ADMIN, `/admin/users/${userId}`, `/${user}`, group, ...OF_GROUP.map((below) => `/groups${group}${below}`),
    ...OF_PROJECT.map((below) => path + below), `${path}/pipelines/${pipeline.id}`,
  ];
  for (const [number, options] of LOOKS.entries()) {
    // The policy of the pages refuses foreign scripts, and axe is one.
    const stranger = await person(browser, "script", [], { ...options, bypassCSP: true });
    await look(stranger, STRANGERS, number === 0, wrong);
    await (number === 0 ? signInFirst : signIn)(stranger, user);
    await look(stranger, own, number === 0, wrong);
  }
  assert.equal([...new Set(wrong)].join("\n"), "");
  console.log(`ok: ${STRANGERS.length + own.length} pages inspected`);
};
