// Drives a running server with an unmodified @gitbeaker/rest: approvals and suggestions of a merge request.
//
// Not part of `cargo test`, because it needs a package from outside:
//
//     npm install @gitbeaker/rest
//     node tests/clients/gitbeaker.mjs http://127.0.0.1:8080 TOKEN
//
// The package is looked for beside the current directory.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const { Gitlab } = createRequire(path.join(process.cwd(), "index.js"))("@gitbeaker/rest");
const [host, token] = process.argv.slice(2);
const root = new Gitlab({ host, token });
const name = `beaker-${Date.now()}`;

const project = await root.Projects.create({ name, visibility: "private" });
const ada = await root.Users.create({
  email: `${name}@example.org`, username: `ada-${name}`, name: "Ada", password: "analytical-engine", skipConfirmation: true,
});
await root.ProjectMembers.add(project.id, 40, { userId: ada.id });
const { token: secret } = await root.UserImpersonationTokens.create(ada.id, "t", ["api"], "2099-01-01");
const reviewer = new Gitlab({ host, token: secret });

const lines = ["one", "two", "three"];
const file = (content) => content.map((line) => `${line}\n`).join("");
await root.Commits.create(project.id, "main", "Begin", [{ action: "create", filePath: "a.txt", content: file(lines) }]);
const changed = ["one", "2", "3"];
await root.Commits.create(project.id, "topic", "Count", [{ action: "update", filePath: "a.txt", content: file(changed) }], {
  startBranch: "main",
});
const request = await root.MergeRequests.create(project.id, "topic", "main", "Count");

// approvals
await root.MergeRequestApprovals.createApprovalRule(project.id, "Peers", 1, { userIds: [ada.id] });
const state = async () => (await root.MergeRequestApprovals.showApprovalState(project.id, request.iid)).rules[0];
assert.deepEqual([(await state()).name, (await state()).approved], ["Peers", false]);
await reviewer.MergeRequestApprovals.approve(project.id, request.iid);
assert.equal((await state()).approved, true);
await reviewer.MergeRequestApprovals.unapprove(project.id, request.iid);
const left = await root.MergeRequestApprovals.showConfiguration(project.id, { mergerequestIId: request.iid });
assert.deepEqual([left.approvals_required, left.approvals_left], [1, 1]);

// suggestions: one by itself, and two together as one commit
const { diff_refs: refs } = await root.MergeRequests.show(project.id, request.iid);
const suggest = async (newLine, text) => {
  const position = {
    baseSha: refs.base_sha, startSha: refs.start_sha, headSha: refs.head_sha, positionType: "text",
    oldPath: "a.txt", newPath: "a.txt", newLine: String(newLine),
  };
  const body = `\`\`\`suggestion\n${text}\n\`\`\``;
  const made = await reviewer.MergeRequestDiscussions.create(project.id, request.iid, body, { position });
  return made.notes[0].suggestions[0].id;
};
const content = async () => {
  const found = await root.RepositoryFiles.show(project.id, "a.txt", "topic");
  return Buffer.from(found.content, "base64").toString();
};
const [second, third] = [await suggest(2, "TWO"), await suggest(3, "THREE")];
const applied = await root.Suggestions.edit(second);
assert.equal(applied.applied, true);
assert.equal(await content(), file(["one", "TWO", "3"]));
// However often it is asked for, it is one commit.
const commits = async () => (await root.Commits.all(project.id, { refName: "topic" })).length;
const before = await commits();
await root.Suggestions.edit(second);
assert.equal(await commits(), before);
await root.Suggestions.editBatch([third]);
assert.equal(await content(), file(["one", "TWO", "THREE"]));

await reviewer.MergeRequestApprovals.approve(project.id, request.iid);
assert.equal((await root.MergeRequests.merge(project.id, request.iid)).state, "merged");
await root.Projects.remove(project.id);
console.log("gitbeaker: approvals and suggestions work");
