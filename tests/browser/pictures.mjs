// Pictures of the pages as they are: each in light, in dark and on a phone, with the history of this repository as data.
//
//   node pictures.mjs URL TOKEN FOLDER REPOSITORY [--only NAME] [--readme FOLDER]
//   (of an administrator; the packages are found through NODE_PATH)

import { parseArgs } from "node:util";

import { PASSWORD, launch, make, open, person, ready, signIn, signInFirst, url } from "./browser.mjs";
import { showcase } from "./showcase.mjs";

// The name of each picture, and the page: an address of the site, or one below the project.
const PAGES = [
  ["sign-in", { site: "/users/sign_in", isOf: "strangers" }],
  ["dashboard", { site: "/" }],
  ["todos", { site: "/dashboard/todos" }],
  ["explore", { site: "/explore/projects" }],
  ["group", { site: "/mortise" }],
  ["profile", { site: "/ada" }],
  ["preferences", { site: "/profile/preferences" }],
  ["tokens", { site: "/profile/personal_access_tokens" }],
  ["admin", { site: "/admin", isOf: "administrators" }],
  ["admin-backups", { site: "/admin/backups", isOf: "administrators" }],
  ["admin-mode", { site: "/admin/session/new", isOf: "outsiders" }],
  ["admin-secrets", { site: "/admin/application_settings?area=AREA", isOf: "administrators" }],
  ["new-project", { site: "/projects/new" }],
  ["project", { below: "" }],
  ["directory", { below: "/tree/main/crates/web/src" }],
  ["file", { below: "/blob/main/crates/web/src/kit/words.rs" }],
  ["edit-file", { below: "/edit/main/crates/web/src/kit/words.rs" }],
  ["new-file", { below: "/new/main" }],
  ["upload-files", { below: "/new/main?upload=1" }],
  ["blame", { below: "/blame/main/crates/web/src/kit/words.rs" }],
  ["commits", { below: "/commits/main" }],
  ["commit", { below: "/commit/moments" }],
  ["graph", { below: "/network" }],
  ["branches", { below: "/branches" }],
  ["tags", { below: "/tags" }],
  ["releases", { below: "/releases" }],
  ["compare", { below: "/compare/main...shorter-readme" }],
  ["issues", { below: "/issues" }],
  ["snippets", { below: "/snippets" }],
  ["snippet", { below: "/snippets/SNIPPET" }],
  ["new-snippet", { below: "/snippets/new" }],
  ["wiki", { below: "/wikis/home" }],
  ["access-tokens", { below: "/settings/access_tokens" }],
  ["issue", { below: "/issues/1" }],
  ["new-issue", { below: "/issues/new" }],
  ["board", { below: "/boards/1" }],
  ["labels", { below: "/labels" }],
  ["milestones", { below: "/milestones" }],
  ["milestone", { below: "/milestones/2" }],
  ["merge-requests", { below: "/merge_requests" }],
  ["merge-request", { below: "/merge_requests/1" }],
  ["changes", { below: "/merge_requests/1/diffs" }],
  ["changes-beside", { below: "/merge_requests/1/diffs?view=parallel" }],
  ["new-merge-request", { below: "/merge_requests/new?merge_request[source_branch]=limits" }],
  ["pipelines", { below: "/pipelines" }],
  ["environments", { below: "/environments" }],
  ["environment", { below: "/environments/ENVIRONMENT" }],
  ["feature-flags", { below: "/feature_flags" }],
  ["feature-flag", { below: "/feature_flags/new-colours/edit" }],
  ["activity", { below: "/activity" }],
  ["members", { below: "/project_members" }],
  ["search", { below: "", site: "/search?project_id=ID&search=snapshot" }],
  ["settings", { below: "/edit" }],
  ["variables", { below: "/variables" }],
  ["badges", { below: "/settings/badges" }],
  ["deploy-tokens", { below: "/settings/deploy_tokens" }],
];
const SHAPES = [
  ["", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ["-dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
  ["-phone", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
];
// The pictures that README and docs/walk.md show.
const OF_README = ["project", "issue", "changes"];
const SETTINGS = { locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" };

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, readme: { type: "string" } } });
const [, , folder, repository] = positionals;
const wanted = PAGES.filter(([name]) => !values.only || values.only.split(",").includes(name));
if (wanted.length === 0) throw new Error(`there is no picture ${values.only}: ${PAGES.map(([name]) => name).join(", ")}`);

// The session of a person after these steps.
const state = async (browser, steps) => {
  const someone = await person(browser, "script", [], SETTINGS);
  await steps(someone);
  const storageState = await someone.page.context().storageState();
  await someone.end();
  return storageState;
};

await ready();
const browser = await launch();
try {
  console.log("filling the server");
  const { id, user, path } = await showcase(repository);
  const states = { members: await state(browser, async (someone) => {
    await signInFirst(someone, user);
    await someone.page.goto(`${url}/profile/personal_access_tokens`);
    await someone.hand.press(someone.page, "Generate feed token");
  }) };
  await make("POST", `/projects/${id}/variables`, { key: "DEPLOY_KEY", value: "a-long-secret", masked: true, protected: true, environment_scope: "production" });
  await make("POST", `/projects/${id}/variables`, { key: "LOG_LEVEL", value: "debug", description: "Of the tests" });
  const board = await make("POST", `/projects/${id}/boards`, { name: "Next version" });
  for (const label of (await make("GET", `/projects/${id}/labels`)).slice(0, 3)) await make("POST", `/projects/${id}/boards/${board.id}/lists`, { label_id: label.id });
  await make("POST", `/projects/${id}/badges`, { name: "Coverage", link_url: "https://example.org/%{project_path}", image_url: "https://example.org/%{default_branch}.svg" });
  const files = [{ file_path: "bench.sh", content: "#!/bin/sh\nset -e\ncargo xtask bench --size medium\n" }, { file_path: "notes.md", content: "# Figures\n\nOne run.\n" }];
  const snippet = await make("POST", `/projects/${id}/snippets`, { title: "Measure a change", visibility: "private", files });
  await make("POST", `/projects/${id}/snippets/${snippet.id}/notes`, { body: "Runs on two cores." });
  const environment = await make("POST", `/projects/${id}/environments`, { name: "production", external_url: "https://example.org/", description: "What users see." });
  await make("POST", `/projects/${id}/environments`, { name: "review/moments" });
  const sha = (await make("GET", `/projects/${id}/repository/commits/main`)).id;
  for (const status of ["failed", "success"]) await make("POST", `/projects/${id}/deployments`, { environment: "production", sha, ref: "main", tag: false, status });
  await make("POST", `/projects/${id}/feature_flags_user_lists`, { name: "Testers", user_xids: "ada,ken" });
  await make("POST", `/projects/${id}/feature_flags`, { name: "new-colours", version: "new_version_flag", description: "The palette of the next version", strategies: [{ name: "gradualRolloutUserId", parameters: { groupId: "default", percentage: "25" }, scopes: [{ environment_scope: "production" }] }] });
  await make("POST", `/projects/${id}/wikis`, { title: "home", content: "# Mortise\n\nHow it is run: see [[Operations]].\n\n- backups\n- limits\n" });
  await make("POST", `/projects/${id}/deploy_tokens`, { name: "Deployment", scopes: ["read_repository"], expires_at: "2030-01-01" });
  // An administrator in the mode of administrators, and the same one in a session outside of it.
  await make("POST", "/users", { username: "root-of-all", name: "Margaret Hamilton", email: "root-of-all@example.org", password: PASSWORD, skip_confirmation: true, admin: true });
  states.outsiders = await state(browser, (someone) => signInFirst(someone, "root-of-all"));
  await make("PUT", "/application/settings", { admin_mode: true });
  let area;
  states.administrators = await state(browser, async (someone) => {
    const { page, hand } = someone;
    await signIn(someone, "root-of-all");
    await page.goto(`${url}/admin/session/new`);
    await hand.fill(page, "Password", `${PASSWORD}0`);
    await hand.press(page, "Enter admin mode");
    for (area = 0; ; area += 1) {
      await page.goto(`${url}/admin/application_settings?area=${area}`);
      const secrets = page.locator("main input[type=password]");
      if (await secrets.count() === 0) continue;
      area += `#${await secrets.first().getAttribute("id")}`;
      break;
    }
  });
  for (const [shape, look] of SHAPES) {
    const of = { strangers: await open(browser, { ...SETTINGS, ...look }) };
    for (const [who, storageState] of Object.entries(states)) of[who] = await open(browser, { ...SETTINGS, ...look, storageState });
    for (const [at, [name, { site, below, isOf = "members" }]] of wanted.entries()) {
      const shown = await of[isOf].newPage();
      await shown.goto(url + (site?.replace("ID", id).replace("AREA", area) ?? path + below.replace("SNIPPET", snippet.id).replace("ENVIRONMENT", environment.id)), { waitUntil: "networkidle" });
      await shown.screenshot({ path: `${folder}/${name}${shape}.png` });
      if (values.readme && shape === "" && OF_README.includes(name)) await shown.screenshot({ path: `${values.readme}/${name}.png` });
      await shown.close();
      console.log(`${at + 1} of ${wanted.length}: ${name}${shape}`);
    }
    for (const context of Object.values(of)) await context.close();
  }
} finally {
  await browser.close();
}
