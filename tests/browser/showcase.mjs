// A project as a team has it after some months, for pictures: the history of this repository, people, labels, issues with tasks
// and comments, merge requests with threads, pipelines, milestones and releases.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

import { PASSWORD, api, make, token, url } from "./browser.mjs";

const PEOPLE = [["grace", "Grace Hopper", 40], ["ada", "Ada Lovelace", 40], ["edsger", "Edsger Dijkstra", 30], ["barbara", "Barbara Liskov", 30], ["ken", "Ken Thompson", 20]];
const LABELS = [
  ["bug", "#b3261e", "Something does not work"], ["feature", "#0b5cad", "Something new"], ["docs", "#00707a", "Pages for people"],
  ["good first issue", "#7a3ec8", "A way in"], ["performance", "#9a6700", "Faster or smaller"], ["pages", "#1a7f43", "What people see"],
  ["api", "#57606c", ""], ["waits for others", "#fbca04", ""],
];
const REVIEWED = `Pages of lists take the same number of statements, however long they are.

- [x] one statement for the rows
- [x] one for the labels of all rows
- [ ] a test that counts them
- [ ] a line in \`docs/limits.md\`

The query of today is this:

\`\`\`sql
SELECT id, title FROM issues WHERE project_id = 1 ORDER BY id DESC LIMIT 20;
\`\`\`

| page | now | aim |
|---|--:|--:|
| issues | 12 | 6 |
| merge requests | 14 | 6 |

See ~performance and %"1.1", and what @ada has found in #3.
`;
const ISSUES = [
  ["A page of issues takes 12 statements", ["performance", "pages"], "1.1", "ada", REVIEWED],
  ["The tree beside a file forgets its scroll position", ["bug", "pages"], "1.1", "grace", "Open a file far down in `crates`, follow a link, and go back.\n\n- [x] reproduce\n- [ ] test\n"],
  ["Describe how a backup is restored on another machine", ["docs", "good first issue"], "1.0", "ken", "The page about operations ends where it becomes interesting."],
  ["Offer archives of a directory", ["feature"], null, null, "As `tar.gz` and `zip`, with the path in the name."],
  ["`tenon admin doctor` should say how long it takes", ["feature", "good first issue"], "1.1", "barbara", ""],
  ["Names of branches with spaces are cut off in the menu", ["bug"], "1.0", "edsger", "See the picture in the comment."],
  ["Count open threads in the list of merge requests", ["feature", "pages"], "1.1", null, "- [ ] count\n- [ ] show\n- [ ] sort\n"],
  ["PostgreSQL 18: use its asynchronous reads", ["performance", "waits for others"], null, "ada", "Waits for the driver."],
  ["The API answers 500 to a milestone without a title", ["bug", "api"], "1.0", "barbara", "`POST /projects/1/milestones` with an empty body."],
  ["A glossary of the words of the project", ["docs"], null, null, ""],
  ["Search: a word in quotation marks", ["feature", "api"], null, "grace", ""],
  ["Show the age of a session", ["pages", "good first issue"], "1.1", null, ""],
  ["Mail says twice who has closed an issue", ["bug"], "1.0", "ken", ""],
];

const git = (repository, ...words) => execFileSync("git", ["-C", repository, ...words], { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] });

// Requests in the name of a person.
const actor = async (id) => {
  const { token: own } = await make("POST", `/users/${id}/impersonation_tokens`, { name: "pictures", scopes: ["api"] });
  return async (method, path, body) => {
    const answer = await api(method, `/api/v4${path}`, body, { "PRIVATE-TOKEN": own });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
};

const makePeople = async (group) => {
  const people = {};
  for (const [username, name, level] of PEOPLE) {
    const { id } = await make("POST", "/users", { username, name, email: `${username}@example.org`, password: PASSWORD, skip_confirmation: true });
    await make("POST", `/groups/${group}/members`, { user_id: id, access_level: level });
    people[username] = { id, asks: await actor(id) };
  }
  return people;
};

const makeIssues = async (project, people) => {
  const base = `/projects/${project}`;
  for (const [name, color, description] of LABELS) await make("POST", `${base}/labels`, { name, color, description });
  const milestones = {};
  for (const [title, due_date] of [["1.0", "2026-12-15"], ["1.1", "2027-02-28"]]) {
    milestones[title] = (await make("POST", `${base}/milestones`, { title, due_date, description: `What has to be in ${title}.` })).id;
  }
  const authors = Object.values(people);
  for (const [at, [title, labels, milestone, assignee, description]] of ISSUES.entries()) {
    await authors[at % authors.length].asks("POST", `${base}/issues`, {
      title, description, labels: labels.join(","), milestone_id: milestones[milestone], assignee_ids: assignee ? [people[assignee].id] : [],
    });
  }
  const say = (who, issue, body) => people[who].asks("POST", `${base}/issues/${issue}/notes`, { body });
  await say("edsger", 1, "Most of them are for the labels. They can be read for all rows at once, as the list of labels does:\n\n```rust\nlet labels = labels_of(query, &ids)?;\n```");
  const { id } = await say("ada", 1, "Then six remain. I take it.\n/due 2027-01-31");
  await people.barbara.asks("POST", `${base}/issues/1/notes/${id}/award_emoji`, { name: "thumbsup" });
  await people.barbara.asks("POST", `${base}/issues/1/award_emoji`, { name: "rocket" });
  await people.grace.asks("PUT", `${base}/issues/1`, { labels: "performance,pages,api" });
  await say("grace", 1, "@ada The test of the pages counts statements already: `a_page_of_issues_costs_a_bounded_number_of_statements`.");
  await say("ken", 3, "I can try that on a machine of mine. @grace Which version?");
  await people.ada.asks("PUT", `${base}/issues/9`, { state_event: "close" });
  await people.ken.asks("PUT", `${base}/issues/13`, { state_event: "close" });
  return milestones;
};

// A branch with these files, each with some of its words replaced.
const branch = async (project, who, repository, name, title, files) => {
  const actions = files.map(([file_path, from, to]) => {
    const content = git(repository, "show", `HEAD:${file_path}`);
    assert.ok(content.includes(from), `${file_path} has no ${from}`);
    return { action: "update", file_path, content: content.replaceAll(from, to) };
  });
  return who.asks("POST", `/projects/${project}/repository/commits`, { branch: name, start_branch: "main", commit_message: title, actions });
};

const makeRequests = async (project, people, repository, milestones) => {
  const base = `/projects/${project}`;
  const offer = (who, source_branch, title, more) => people[who].asks("POST", `${base}/merge_requests`, { source_branch, target_branch: "main", title, ...more });
  const status = (sha, state, name, ref) => make("POST", `${base}/statuses/${sha}`, { state, name, ref });
  const words = "crates/web/src/kit/words.rs";
  const { id: tip } = await branch(project, people.ada, repository, "moments", "Moments in words of the reader", [
    [words, "A moment: for programs, and for people.", "A moment, as a program reads it and as a person does."],
    ...["hook", "key", "token"].map((name) => [`crates/web/src/parts/${name}.rs`, "Moment", "TimeInWords"]),
    ["docs/operations.md", "moment", "point in time"],
  ]);
  await offer("ada", "moments", "Moments in words of the reader", {
    description: "Closes #2, and a part of #7.\n\n- [x] words\n- [ ] tests\n", labels: "pages,feature", milestone_id: milestones["1.1"],
    reviewer_ids: [people.grace.id], assignee_ids: [people.ada.id],
  });
  for (const [state, name] of [["success", "lint"], ["success", "test"], ["running", "browser"]]) await status(tip, state, name, "moments");
  const { diff_refs: refs } = await make("GET", `${base}/merge_requests/1`);
  const changed = await make("GET", `${base}/merge_requests/1/changes`);
  const line = Number(changed.changes.find(({ new_path }) => new_path === words).diff.match(/\+(\d+)/)[1]) + 3;
  const position = { ...refs, position_type: "text", old_path: words, new_path: words, new_line: line };
  const { id: thread } = await people.grace.asks("POST", `${base}/merge_requests/1/discussions`, { body: "Is `a person` better than `people`? The rest of the file says `people`.", position });
  await people.ada.asks("POST", `${base}/merge_requests/1/discussions/${thread}/notes`, { body: "Good point, I change it." });
  await people.edsger.asks("POST", `${base}/merge_requests/1/notes`, { body: "Nice. The tests are what I would read first." });
  const { id: other } = await branch(project, people.edsger, repository, "shorter-readme", "A shorter readme", [["README.md", "Tenon is a self-hosted code-hosting server in one binary", "Tenon hosts code, in one binary"]]);
  await offer("edsger", "shorter-readme", "A shorter readme", { labels: "docs", description: "For those who read one sentence." });
  for (const [state, name] of [["success", "lint"], ["failed", "test"]]) await status(other, state, name, "shorter-readme");
  await branch(project, people.barbara, repository, "limits", "Say what limits are for", [["docs/limits.md", "# Limits", "# All limits"]]).catch(() => null);
  await branch(project, people.grace, repository, "glossary", "A word for each thing", [["docs/GLOSSARY.md", "#", "#"]].map(([file]) => [file, "\n\n", "\n\n"])).catch(() => null);
  const { id: merged } = await branch(project, people.barbara, repository, "licence", "Name both licences", [["README.md", "Apache-2.0 OR MIT, at your option.", "Apache-2.0 or MIT, at your option."]]);
  await status(merged, "success", "test", "licence");
  await offer("barbara", "licence", "Name both licences", { labels: "docs" });
  await people.grace.asks("PUT", `${base}/merge_requests/3/merge`, {}).catch(() => null);
  const head = await make("GET", `${base}/repository/commits/main`);
  for (const name of ["lint", "test", "browser", "package"]) await status(head.id, "success", name, "main");
};

// Makes it in a group of its own; the path of the project, and the person who looks at it.
export const showcase = async (repository) => {
  const { id: group } = await make("POST", "/groups", { name: "Mortise", path: "mortise", visibility: "public", description: "Joints for teams" });
  const people = await makePeople(group);
  const { id } = await make("POST", "/projects", {
    name: "Tenon", path: "tenon", namespace_id: group, visibility: "public", description: "A self-hosted code-hosting server in one binary", topics: ["rust", "git", "self-hosted"],
  });
  const address = new URL(`${url}/mortise/tenon.git`);
  [address.username, address.password] = ["root", token];
  // A push takes seconds. In that time the script has to notice that the server closes idle connections.
  await promisify(execFile)("git", ["-C", repository, "push", "--quiet", address.href, "HEAD:refs/heads/main"]);
  const commits = git(repository, "rev-list", "--first-parent", "--max-count=120", "HEAD").trim().split("\n");
  const milestones = await makeIssues(id, people);
  await makeRequests(id, people, repository, milestones);
  for (const [at, name] of [[100, "v0.8.0"], [40, "v0.9.0"], [3, "v0.9.1"]]) {
    await make("POST", `/projects/${id}/repository/tags`, { tag_name: name, ref: commits[Math.min(at, commits.length - 1)], message: `Tenon ${name}` });
    await make("POST", `/projects/${id}/releases`, {
      tag_name: name, name: `Tenon ${name.slice(1)}`, description: "- Pages of lists with ticks for several entries\n- Threads beside the code that they are about\n- 30 % less memory when idle\n",
      assets: { links: [{ name: "tenon-x86_64-linux.tar.gz", url: "https://downloads.example/tenon.tar.gz" }] },
    });
  }
  for (const [name, description] of [["Chisel", "Tools for those who build it"], ["Handbook", "How we work"], ["Mallet", "Load for tests"]]) {
    await make("POST", "/projects", { name, namespace_id: group, visibility: "internal", description, initialize_with_readme: true });
  }
  for (const who of ["ada", "ken", "grace"]) await people[who].asks("POST", `/projects/${id}/star`);
  return { id, user: "grace", path: "/mortise/tenon", group: "/mortise" };
};
