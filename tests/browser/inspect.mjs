// The rules for each kind of page. It is accessible (axe) in light and dark and on a narrow screen. Its HTML is valid
// (html-validate), nothing moves after it was painted, and its pictures, links and headings are sound (kinds.mjs). A
// page is loaded for each width. Rules that depend on colours alone are checked again in the dark, and all others again
// on the narrow screen.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { overflow, make, person, signInFirst, url } from "./browser.mjs";
import { unsound } from "./kinds.mjs";

const require = createRequire(import.meta.url);
const { HtmlValidate } = require("html-validate");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 320, height: 640 };
// Changes to the validator's standard rules. Most are switched off because they are about style, and not about
// browsers.
const validator = new HtmlValidate({
  extends: ["html-validate:standard"],
  rules: {
    "no-trailing-whitespace": "off", "void-style": "off", "no-inline-style": "error", "require-sri": "off", "long-title": "off",
    "attr-quotes": "off", "doctype-style": "off",
  },
});

const MISSING = "/no/such/page";
// The pages that answer otherwise than with 200: the last one lacks the token of its link.
const ANSWERS = { [MISSING]: 404, "/users/password/edit": 422 };
const STRANGERS = ["/users/sign_in", "/users/sign_up", "/users/password/new", "/users/password/edit", "/help/licences", "/help", "/help/markdown", "/help/quick_actions", "/help/shortcuts", MISSING];
const OWN = [
  "/", "/dashboard/projects/starred", "/dashboard/issues", "/dashboard/merge_requests", "/dashboard/todos", "/explore/projects", "/dashboard/activity", "/dashboard/groups", "/dashboard/milestones",
  "/explore/groups", "/projects/new", "/groups/new", "/search", "/search?search=crank", "/profile", "/profile/preferences", "/profile/personal_access_tokens", "/profile/keys", "/profile/gpg_keys", "/profile/emails", "/profile/password/edit",
  "/profile/active_sessions", "/profile/notifications", "/profile/two_factor_auth", "/profile/identities", "/oauth/applications", "/oauth/applications/new",
];
const ADMIN = ["/admin", "/admin/users", "/admin/users/new", "/admin/application_settings", "/admin/projects", "/admin/groups", "/admin/jobs", "/admin/backups", "/admin/applications", "/admin/applications/new", "/admin/hooks", "/admin/broadcast_messages", "/admin/variables"];
const OF_GROUP = ["/-/activity", "/-/projects", "/-/archived", "/-/issues", "/-/merge_requests", "/-/boards", "/-/labels", "/-/labels/new", "/-/milestones", "/-/milestones/new", "/-/group_members", "/-/edit", "/-/variables", "/-/settings/badges", "/-/settings/access_tokens", "/-/settings/deploy_tokens"];
const OF_PROJECT = [
  "", "/tree/master", "/tree/master/src", "/blob/master/src/main.rs", "/blob/master/README.md", "/commits/master", "/network/master", "/network", "/branches", "/branches/new", "/tags", "/tags/new", "/releases", "/wikis/home", "/wiki_pages", "/wiki_pages/new", "/wiki_pages/edit/home", "/wiki_pages/history/home", "/snippets", "/snippets/new",
  "/compare", "/compare/master...goodbye", "/compare/master...goodbye?w=1", "/blame/master/src/main.rs", "/find_file/master", "/branches/stale", "/refs/master/logs_tree/src",
  "/issues", "/issues?state=all&label_name[]=bug", "/issues/new", "/issues/1", "/issues/1/edit", "/boards", "/labels", "/labels/new", "/milestones",
  "/milestones/new", "/milestones/1", "/merge_requests", "/merge_requests/new", "/merge_requests/new?merge_request[source_branch]=goodbye", "/merge_requests/1", "/merge_requests/1/commits",
  "/commit/master/revert", "/commit/master/cherry_pick", "/merge_requests/1/diffs", "/merge_requests/1/diffs?view=parallel", "/merge_requests/1/pipelines", "/merge_requests/1/edit",
  "/new/master", "/new/master?upload=1", "/edit/master/src/main.rs", "/edit/master/README.md?delete=1", "/project_members", "/uploads/new", "/edit", "/pipelines", "/environments", "/environments/new", "/feature_flags", "/feature_flags/new", "/feature_flags_user_lists", "/forks", "/forks/new", "/settings/repository", "/settings/approval_rules", "/hooks", "/variables", "/settings/badges", "/settings/access_tokens", "/settings/deploy_tokens",
];

// Rows of code are 20 px high, so that much is on a screen. What the number of a line does, its address does as well
// (WCAG 2.5.8, "Equivalent").
const isNumber = ({ id, html }) => id === "target-size" && /^<a (rel="nofollow" )?href="[^"]*(#L\d+|[?;&]comment=[^"]*)"[^>]*>\d+<\/a>$/.test(html);

const findings = async (page, path, options) => {
  const { violations } = await page.evaluate((asked) => window.axe.run(document, asked), { resultTypes: ["violations"], ...options });
  const seen = violations.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, ...node })));
  return seen.filter((one) => !isNumber(one)).map(({ id, target, html }) => `${path}: ${id} at ${target}: ${html}`);
};

// The script arrives after the page is read and painted, so that its moves are seen on every run. Earlier moves are not
// counted: a busy browser paints a table before its last row is read.
const watchPaint = (page) => page.addInitScript(() => {
  window.painted = new Promise((resolve) => {
    const paint = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    document.addEventListener("readystatechange", () => { if (document.readyState === "interactive") paint(); });
  });
});
const scriptHolder = async (page) => {
  const devtools = await page.context().newCDPSession(page);
  devtools.on("Fetch.requestPaused", async ({ requestId }) => {
    // The page may be left in the meantime.
    await page.evaluate(() => window.painted).catch(() => null);
    await devtools.send("Fetch.continueRequest", { requestId }).catch(() => null);
  });
  await devtools.send("Network.enable");
  return async (isHeld) => {
    // A script that the browser has already does not come here.
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: isHeld });
    if (isHeld) await devtools.send("Fetch.enable", { patterns: [{ resourceType: "Script" }] });
    else await devtools.send("Fetch.disable");
  };
};

const moved = (page) => page.evaluate(async () => {
  const painted = await window.painted;
  return new Promise((resolve) => {
    let sum = 0;
    const add = ({ startTime, value }) => { if (startTime >= painted) sum += value; };
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
  });
});

// The faults of a page on a screen of this size.
const look = async (page, path, size) => {
  const wrong = [];
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const answer = await page.goto(url + path);
  // A page that is not there would be inspected as the one that says so.
  if (answer.status() !== (ANSWERS[path] ?? 200)) wrong.push(`${path} answers ${answer.status()}`);
  // The additions of the script move nothing either.
  if (await page.locator("[data-counts]").count()) await page.locator("[data-scope] .count").first().waitFor();
  if (await page.locator("[data-editor]").count()) await page.locator(".cm-content").waitFor();
  const shift = await moved(page);
  // The script writes dates in the reader's zone, which are some letters longer or shorter.
  if (shift >= 0.005) wrong.push(`${path}: its parts move by ${shift} after it was painted, ${size.width} px`);
  if (size === NARROW) {
    const rules = Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }]));
    wrong.push(...await findings(page, path, { runOnly: RULES, rules }));
    const beyond = await overflow(page);
    if (beyond > 0) wrong.push(`${path} is ${beyond} pixels too wide`);
    return wrong;
  }
  wrong.push(...await findings(page, path, { runOnly: RULES }));
  wrong.push(...await unsound(page));
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  wrong.push(...await findings(page, path, { runOnly: { type: "rule", values: OF_COLOURS } }));
  const report = await validator.validateString(await answer.text());
  const messages = report.results.flatMap((result) => result.messages);
  wrong.push(...messages.map(({ line, column, ruleId, message }) => `${path}:${line}:${column} ${ruleId}: ${message}`));
  return wrong;
};

export const inspect = async (browser, { id, user, userId, path, group }) => {
  const wrong = [];
  await make("PUT", `/users/${userId}`, { admin: true });
  const [pipeline] = await make("GET", `/projects/${id}/pipelines`);
  const board = await make("POST", `/projects/${id}/boards`, { name: "Plan" });
  const [label] = await make("GET", `/projects/${id}/labels`);
  const [snippet] = await make("GET", `/projects/${id}/snippets`);
  await make("POST", `/projects/${id}/boards/${board.id}/lists`, { label_id: label.id });
  const own = [
    ...OWN, ...ADMIN, ...["", "/edit", "/projects", "/keys", "/impersonation_tokens"].map((below) => `/admin/users/${userId}${below}`), `/${user}`, `/users/${user}/activity`, `/users/${user}/projects`, `/users/${user}/starred`, `/users/${user}/groups`, group, ...OF_GROUP.map((below) => `/groups${group}${below}`),
    ...OF_PROJECT.map((below) => path + below), `${path}/pipelines/${pipeline.id}`, `${path}/snippets/${snippet.id}`, `${path}/snippets/${snippet.id}/edit`, `${path}/boards/${board.id}`,
  ];
  // The policy of the pages refuses foreign scripts, and axe is one.
  const someone = await person(browser, "script", [], { bypassCSP: true });
  await someone.page.addInitScript(axe);
  await watchPaint(someone.page);
  const holdScript = await scriptHolder(someone.page);
  const both = async (paths) => {
    for (const size of [WIDE, NARROW]) {
      // In one of the sizes: without its cache, the browser takes a fifth longer.
      await holdScript(size === WIDE);
      for (const path of paths) wrong.push(...await look(someone.page, path, size));
    }
  };
  await both(STRANGERS);
  await signInFirst(someone, user);
  await both(own);
  assert.equal([...new Set(wrong)].join("\n"), "");
  console.log(`ok: ${STRANGERS.length + own.length} pages inspected`);
};
