// A project for people to work in: code, issues, and merge requests of a colleague.

import { PASSWORD, make } from "./browser.mjs";

const README = "# Tool\n\nSee [the program](src/main.rs) and #1.\n\n- [x] begun\n- [ ] done\n";
const PROGRAM = 'fn main() {\n    println!("Hello");\n}\n';

const commit = (id, branch, title, actions, start) => make("POST", `/projects/${id}/repository/commits`, {
  branch, commit_message: title, actions, ...(start && { start_branch: start }),
});

// A branch that changes the greeting, and the merge request that offers it.
const offer = async (id, branch, word) => {
  await commit(id, branch, `Say ${word}`, [
    { action: "update", file_path: "src/main.rs", content: PROGRAM.replace("Hello", word) },
  ], "master");
  return make("POST", `/projects/${id}/merge_requests`, {
    source_branch: branch, target_branch: "master", title: `Say ${word}`, description: "Closes #1",
  });
};

// Makes it, for an account of that name that maintains it.
export const world = async (name) => {
  const user = `grace-${name.replaceAll(" ", "-")}`;
  const grace = await make("POST", "/users", {
    username: user, name: "Grace Hopper", email: `${user}@example.org`, password: PASSWORD, skip_confirmation: true,
  });
  const group = await make("POST", "/groups", { name: `Engines ${name}`, path: `engines-${user}`, visibility: "internal" });
  const { id } = await make("POST", "/projects", { name: "Tool", namespace_id: group.id, visibility: "internal" });
  await make("POST", `/groups/${group.id}/members`, { user_id: grace.id, access_level: 40 });
  await commit(id, "master", "Begin", [
    { action: "create", file_path: "README.md", content: README },
    { action: "create", file_path: "src/main.rs", content: PROGRAM },
  ]);
  await make("POST", `/projects/${id}/labels`, { name: "bug", color: "#cc0033" });
  await make("POST", `/projects/${id}/milestones`, { title: "1.0" });
  await make("POST", `/projects/${id}/snippets`, { title: "Start", visibility: "private", files: [{ file_path: "start.sh", content: "#!/bin/sh\nexec tenon\n" }] });
  await make("POST", `/projects/${id}/wikis`, { title: "home", content: "# Engine\n\nSee [[home]]." });
  await make("POST", `/projects/${id}/issues`, { title: "The crank sticks", description: "It *sticks*.", labels: "bug" });
  await make("POST", `/projects/${id}/issues/1/notes`, { body: "When cold." });
  await offer(id, "goodbye", "Goodbye");
  await make("POST", `/projects/${id}/merge_requests/1/notes`, { body: "Shorter?" });
  const { id: tip } = await make("GET", `/projects/${id}/repository/commits/goodbye`);
  await make("POST", `/projects/${id}/statuses/${tip}`, { state: "success", name: "unit", ref: "goodbye" });
  return { id, user, userId: grace.id, path: `/${group.path}/tool`, group: `/${group.path}` };
};
