"""Drives a running server with an unmodified python-gitlab: settings, templates, users, keys, groups, projects, members,
issues, code, releases, merge requests.

Not part of `cargo test`, because it needs a package from outside:

    pip install python-gitlab
    python tests/clients/python_gitlab.py http://127.0.0.1:8080 TOKEN
"""

import sys
from pathlib import Path

import gitlab

url, token = sys.argv[1:3]
gl = gitlab.Gitlab(url, private_token=token)
gl.auth()
assert gl.user.username == "root", gl.user
assert gl.version()[0].count(".") == 2

# settings
settings = gl.settings.get()
settings.default_projects_limit = 4711
settings.domain_allowlist = ["client.example", "*.engine.example"]
settings.save()
settings = gl.settings.get()
assert settings.default_projects_limit == 4711 and settings.domain_whitelist == ["client.example", "*.engine.example"]
gl.settings.update(new_data={"default_projects_limit": 100000, "domain_allowlist": []})
assert gl.settings.get().default_projects_limit == 100000

# templates
for kind, key in ((gl.dockerfiles, "Rust"), (gl.gitignores, "Rust"), (gl.gitlabciymls, "Rust")):
    names = {each.name for each in kind.list(get_all=True)}
    assert names, kind
    name = key if key in names else sorted(names)[0]
    assert kind.get(name).content.strip(), name
assert "mit" in {each.key for each in gl.licenses.list(get_all=True)}
mit = gl.licenses.get("mit", project="Engine", fullname="Ada Lovelace")
assert "Ada Lovelace" in mit.content and mit.nickname is None, mit

# users
ada = gl.users.create(
    {"email": "ada@client.example", "username": "ada-c", "name": "Ada", "password": "analytical-engine",
     "skip_confirmation": True})
assert gl.users.get(ada.id).email == "ada@client.example"
assert [user.id for user in gl.users.list(username="ADA-C")] == [ada.id]
ada.bio = "Engines"
ada.save()
assert gl.users.get(ada.id).bio == "Engines"
assert ada.block() is True and not ada.block()
assert ada.unblock() is True and not ada.unblock()
assert ada.deactivate() is True and gl.users.get(ada.id).state == "deactivated"
assert ada.activate() is True and gl.users.get(ada.id).state == "active"
assert ada.ban() is True and gl.users.get(ada.id).state == "banned"
assert ada.unban() is True and gl.users.get(ada.id).state == "active"
ada.customattributes.set("place", "London")
assert gl.users.list(custom_attributes={"place": "London"})[0].id == ada.id

# keys and addresses, of the caller and of another account
blocks = Path(__file__).resolve().parents[2] / "crates/testkit/src/keys"
for of, ssh, gpg, address in (
        (gl.user, "ed25519-256.pub", "alice.asc", "root@work.example"), (ada, "rsa-2048.pub", "bob.asc", "ada@work.example")):
    key = of.keys.create({"title": "laptop", "key": (blocks / ssh).read_text(), "usage_type": "auth_and_signing"})
    assert (key.title, key.usage_type, key.expires_at) == ("laptop", "auth_and_signing", None), key
    assert [each.id for each in of.keys.list()] == [key.id]
    assert gl.keys.get(key.id).user["id"] == of.id
    block = of.gpgkeys.create({"key": (blocks / gpg).read_text()})
    assert of.gpgkeys.get(block.id).key == (blocks / gpg).read_text().strip()
    email = of.emails.create({"email": address})
    assert (email.email, email.confirmed_at) == (address, None), email
    assert [each.email for each in of.emails.list()] == [address]
    for thing in (email, block, key):
        thing.delete()
    assert not (of.keys.list() or of.gpgkeys.list() or of.emails.list())
key = gl.user.keys.create({"title": "desktop", "key": (blocks / "ed25519-256.pub").read_text()})
fingerprint = "SHA256:xYiFBUUb6WWn57kprrEMNuZr9Hxe+2qBlitvWsy6cOk"
assert gl.user.keys.get(key.id).title == gl.keys.get(fingerprint=fingerprint).title == "desktop"
key.delete()

token_of_ada = ada.impersonationtokens.create({"name": "walk", "scopes": ["api"]})
as_ada = gitlab.Gitlab(url, private_token=token_of_ada.token)
as_ada.auth()
assert as_ada.user.id == ada.id
assert gitlab.Gitlab(url, oauth_token=token).http_get("/user", sudo=ada.id)["id"] == ada.id

# groups
engines = gl.groups.create({"name": "Engines", "path": "engines-c"})
difference = gl.groups.create({"name": "Difference", "path": "difference", "parent_id": engines.id})
assert difference.full_path == "engines-c/difference"
assert [group.id for group in engines.subgroups.list(all_available=True)] == [difference.id]
engines.description = "Made of brass"
engines.save()
assert gl.groups.get("engines-c").description == "Made of brass"
assert difference.id in [group.id for group in gl.groups.list(iterator=True, per_page=1)]

# members
member = difference.members.create({"user_id": ada.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
member.access_level = gitlab.const.AccessLevel.MAINTAINER
member.save()
assert difference.members.get(ada.id).access_level == 40
assert ada.id in [one.id for one in difference.members_all.list(get_all=True)]

# projects
project = gl.projects.create({"name": "Engine No. 2", "namespace_id": difference.id, "tag_list": ["brass", "steam"]})
assert project.path_with_namespace == "engines-c/difference/engine-no-2", project.path_with_namespace
assert gl.projects.get(project.path_with_namespace).id == project.id
assert as_ada.projects.get(project.id).permissions["group_access"]["access_level"] == 40
assert project.id in [found.id for found in as_ada.projects.list(membership=True, iterator=True, per_page=1)]
project.description = "Unfinished"
project.save()
assert gl.projects.list(search="engine-no-2")[0].description == "Unfinished"
project.star()
assert gl.projects.get(project.id).star_count == 1
project.unstar()
project.archive()
assert gl.projects.get(project.id).archived
project.unarchive()
hook = project.hooks.create({"url": "http://hook.example.org", "push_events": 1})
hook.note_events = True
hook.save()
assert project.hooks.get(hook.id).note_events is True
hook.delete()
upload = project.upload("notes.txt", filedata="on brass")
assert upload["url"].endswith("/notes.txt"), upload
bob = gl.users.create(
    {"email": "bob@client.example", "username": "bob-c", "name": "Bob", "password": "analytical-engine"})
extra = project.members.create({"user_id": bob.id, "access_level": 30})
assert gitlab.const.AccessLevel.DEVELOPER == project.members.get(bob.id).access_level
extra.delete()
bob.delete()
assert gl.http_list("/projects", iterator=True).total >= 1

# issues
milestone = project.milestones.create({"title": "1.0", "due_date": "2030-01-31"})
label = project.labels.create({"name": "bug", "color": "#d9534f", "priority": 1})
label.color = "#ff0000"
label.save()
assert project.labels.get("bug").color == "#ff0000"
issue = project.issues.create(
    {"title": "The crank sticks", "description": "It does. @ada-c knows why.", "labels": ["bug", "urgent"],
     "milestone_id": milestone.id, "assignee_ids": [ada.id], "due_date": "2030-01-15"})
assert issue.labels == ["bug", "urgent"] and issue.milestone["title"] == "1.0", issue
assert issue.assignee["id"] == ada.id and issue.due_date == "2030-01-15"
assert issue.references["full"].endswith("difference/engine-no-2#1"), issue.references
issue.title = "The crank sticks again"
issue.labels = ["bug"]
issue.save()
assert project.issues.get(issue.iid).title == "The crank sticks again"
assert [found.id for found in project.issues.list(labels=["bug"], state="opened", search="crank")] == [issue.id]
assert [found.id for found in gl.issues.list(scope="all", milestone="1.0", assignee_id=ada.id)] == [issue.id]
assert [found.id for found in engines.issues.list()] == [issue.id]
assert [found.id for found in milestone.issues()] == [issue.id]
assert label.name in [found.name for found in project.labels.list()]

# notes, discussions, reactions
note = issue.notes.create({"body": "Oil it. See also #1."})
note.body = "Oil it well."
note.save()
assert issue.notes.get(note.id).body == "Oil it well."
discussion = issue.discussions.create({"body": "With which oil?"})
discussion.notes.create({"body": "Whale."})
assert len(issue.discussions.get(discussion.id).attributes["notes"]) == 2
award = issue.awardemojis.create({"name": "thumbsup"})
note_award = note.awardemojis.create({"name": "tada"})
assert project.issues.get(issue.iid).upvotes == 1
assert [found.name for found in note.awardemojis.list()] == ["tada"]
note_award.delete()
award.delete()
assert {user["username"] for user in issue.participants()} == {"root", "ada-c"}

# time
assert issue.time_estimate("3h30m")["human_time_estimate"] == "3h 30m"
assert issue.add_spent_time("1h")["total_time_spent"] == 3600
assert project.issues.get(issue.iid).time_stats()["time_estimate"] == 12600
issue.reset_spent_time()
issue.reset_time_estimate()
assert project.issues.get(issue.iid).time_stats()["human_time_estimate"] is None

# to-do lists
issue.todo()
todos = gl.todos.list(state="pending")
assert [todo.target["iid"] for todo in todos] == [issue.iid]
todos[0].mark_as_done()
assert gl.todos.list(state="pending") == []
assert as_ada.todos.list()[0].action_name == "assigned"
as_ada.todos.mark_all_as_done()
assert as_ada.todos.list() == []

# subscriptions, links, recorded changes, events, Markdown
issue.unsubscribe()
issue.subscribe()
other = project.issues.create({"title": "The other one"})
links = issue.links.create({"target_project_id": project.id, "target_issue_iid": other.iid})
assert [found.iid for found in issue.links.list()] == [other.iid]
issue.links.delete(issue.links.list()[0].issue_link_id)
assert [event.action for event in issue.resourcelabelevents.list()] == ["add", "add", "remove"]
assert [event.action for event in issue.resourcemilestoneevents.list()] == ["add"]
note = issue.notes.create({"body": "Done.\n/close"})
assert project.issues.get(issue.iid).state == "closed"
assert [event.state for event in issue.resourcestateevents.list()] == ["closed"]
issue.state_event = "reopen"
issue.save()
assert "opened" in [event.action_name for event in project.events.list(get_all=True)]
assert gl.markdown("*on brass*", gfm=True).strip().startswith("<p") if hasattr(gl, "markdown") else True

# moving, promoting
archive = gl.projects.create({"name": "Archive", "namespace_id": engines.id})
issue.move(archive.id)
assert archive.issues.list()[0].title == "The crank sticks again"
label.promote()
assert "bug" in [found.name for found in difference.labels.list()]
other.delete()
archive.delete()

# branches, tags, commits, files, archives
code = gl.projects.create({"name": "Code", "namespace_id": engines.id, "initialize_with_readme": True})
work = code.branches.create({"branch": "work", "ref": "main"})
code.commits.create(
    {"branch": "work", "commit_message": "Turn the crank", "actions": [
        {"action": "create", "file_path": "crank.txt", "content": "one\ntwo\nthree\n"}]})
file = code.files.get(file_path="crank.txt", ref="work")
assert file.decode() == b"one\ntwo\nthree\n"
file.content = "one\n2\nthree\n"
file.save(branch="work", commit_message="Say it in figures")
assert [commit.title for commit in code.commits.list(ref_name="work", get_all=True)][:2] == [
    "Say it in figures", "Turn the crank"]
assert code.commits.get("work").diff()[0]["new_path"] == "crank.txt"
tag = code.tags.create({"tag_name": "v1", "ref": "main"})
assert [found.name for found in code.tags.list()] == ["v1"]
assert code.repository_archive(sha="work")[:2] == b"\x1f\x8b"
assert code.repository_compare("main", "work")["commits"][0]["title"] == "Turn the crank"

# releases and their links
release = code.releases.create(
    {"tag_name": "v1", "name": "One", "description": "The **first**",
     "assets": {"links": [{"name": "manual", "url": "https://example.com/manual"}]}})
assert (release.name, release.author["username"], release.assets["count"]) == ("One", "root", 5), release
assert release.commit["id"] == tag.commit["id"], release.commit
code.releases.create({"tag_name": "v2", "ref": "work", "description": "The second"})
assert code.tags.get("v2").commit["title"] == "Say it in figures"
assert [found.tag_name for found in code.releases.list(order_by="created_at", sort="asc")] == ["v1", "v2"]
assert [found.tag_name for found in code.releases.list(iterator=True, per_page=1)] == ["v2", "v1"]
assert "<strong>first" in code.releases.list(include_html_description=True, get_all=True)[1].description_html
release.description = "The first of many"
release.save()
milestone = code.milestones.create({"title": "Brass"})
code.releases.update("v1", {"milestones": ["Brass"], "released_at": "2030-01-01T00:00:00Z"})
release = code.releases.get("v1")
assert (release.description, release.upcoming_release) == ("The first of many", True), release
assert [found["title"] for found in release.milestones] == ["Brass"]
assert gl.http_get(f"/projects/{code.id}/releases/permalink/latest")["tag_name"] == "v1"
link = release.links.create(
    {"name": "crank", "url": "https://example.com/crank", "filepath": "/bin/crank", "link_type": "package"})
link.name = "The crank"
link.save()
link = release.links.get(link.id)
assert (link.name, link.link_type) == ("The crank", "package"), link
assert link.direct_asset_url.endswith("/engines-c/code/-/releases/v1/downloads/bin/crank"), link.direct_asset_url
assert [found.name for found in release.links.list()] == ["The crank", "manual"]
link.delete()
assert gl.session.get(release.assets["sources"][0]["url"], headers={"Private-Token": token}).content[:2] == b"PK"
code.releases.delete("v2")
assert [found.tag_name for found in code.releases.list()] == ["v1"]
assert {found.name for found in code.tags.list()} == {"v1", "v2"}
code.releases.delete("v1")
milestone.delete()

# a merge request's life
bug = code.issues.create({"title": "It sticks"})
offer = code.mergerequests.create(
    {"source_branch": "work", "target_branch": "main", "title": "Draft: Turn it", "labels": ["steam"],
     "description": f"Closes #{bug.iid}", "assignee_id": gl.user.id, "reviewer_ids": [gl.user.id],
     "remove_source_branch": True})
assert offer.draft and offer.detailed_merge_status == "draft_status", offer.detailed_merge_status
assert offer.references["full"] == f"engines-c/code!{offer.iid}"
offer.title = "Turn it"
offer.save()
offer = code.mergerequests.get(offer.iid, include_diverged_commits_count=True, include_rebase_in_progress=True)
assert (offer.merge_status, offer.detailed_merge_status) == ("can_be_merged", "mergeable")
assert (offer.changes_count, offer.diverged_commits_count, offer.rebase_in_progress) == ("1", 0, False)
assert offer.user["can_merge"]
assert [found.iid for found in gl.mergerequests.list(scope="all", search="Turn it")] == [offer.iid]
assert [found.iid for found in code.mergerequests.list(state="opened", labels=["steam"], wip="no")] == [offer.iid]
assert [found.iid for found in engines.mergerequests.list(source_branch="work")] == [offer.iid]
assert [commit.title for commit in offer.commits()] == ["Say it in figures", "Turn the crank"]
assert offer.changes()["changes"][0]["new_file"]
version = offer.diffs.get(offer.diffs.list()[0].id)
assert version.diffs[0]["new_path"] == "crank.txt"
assert [found.iid for found in offer.closes_issues()] == [bug.iid]
assert [found["iid"] for found in bug.closed_by()] == [offer.iid]
assert [found["iid"] for found in bug.related_merge_requests()] == [offer.iid]
assert [one["username"] for one in offer.participants()] == ["root"]
talk = offer.discussions.create(
    {"body": "Why 2?", "position": {**offer.diff_refs, "position_type": "text", "new_path": "crank.txt", "new_line": 2}})
assert talk.attributes["notes"][0]["position"]["new_line"] == 2
talk.notes.create({"body": "It is shorter."})
talk.resolved = True
talk.save()
assert all(note["resolved"] for note in offer.discussions.get(talk.id).attributes["notes"])
offer.notes.create({"body": "Well done :thumbsup:"})
offer.awardemojis.create({"name": "thumbsup"})
offer.time_estimate("2h")
offer.add_spent_time("1h")
assert code.mergerequests.get(offer.iid).time_stats()["human_total_time_spent"] == "1h"
offer.unsubscribe()
offer.subscribe()
offer.todo()
assert [todo.target["iid"] for todo in gl.todos.list(type="MergeRequest")] == [offer.iid]
assert offer.approvals.get().approvals_left == 0

# approvals: a rule by name, verdicts of another user, and the merge that waits for them
reviewer = gl.users.create(
    {"email": "rose@client.example", "username": "rose-c", "name": "Rose", "password": "analytical-engine",
     "skip_confirmation": True})
code.members.create({"user_id": reviewer.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
rule = code.approvalrules.create(
    {"name": "Engineers", "approvals_required": 2, "rule_type": "regular", "user_ids": [reviewer.id]})
rule.name, rule.approvals_required = "Readers", 1
rule.save()
assert [(one.name, one.approvals_required) for one in code.approvalrules.list()] == [("Readers", 1)]
settings = code.approvals.get()
assert settings.reset_approvals_on_push and not settings.merge_requests_author_approval, settings
code.approvals.update(new_data={"reset_approvals_on_push": False})
assert not code.approvals.get().reset_approvals_on_push
assert code.mergerequests.get(offer.iid).detailed_merge_status == "not_approved"
try:
    offer.merge()
    raise AssertionError("without an approval")
except gitlab.GitlabMRClosedError as refusal:
    assert refusal.response_code == 405, refusal
seen = code.mergerequests.get(offer.iid, sudo=reviewer.id)
approval = seen.approve(sha=seen.sha, sudo=reviewer.id)
assert [one["user"]["username"] for one in approval["approved_by"]] == ["rose-c"], approval
state = offer.approval_state.get()
assert [(one["name"], one["approved"]) for one in state.rules] == [("Readers", True)], state
seen.unapprove(sudo=reviewer.id)
assert offer.approvals.get().approvals_left == 1
try:
    seen.approve(sha="0" * 40, sudo=reviewer.id)
    raise AssertionError("another head")
except gitlab.GitlabMRApprovalError as refusal:
    assert refusal.response_code == 409, refusal
seen.approve(sudo=reviewer.id)
assert code.mergerequests.get(offer.iid).detailed_merge_status == "mergeable"
rule.delete()

# invitations: the server that this runs against need not send mail
try:
    code.invitations.create({"email": ["new@client.example", "no address"], "access_level": 30})
    raise AssertionError("no address")
except gitlab.exceptions.GitlabInvitationError as refusal:
    assert "is invalid" in str(refusal), refusal
for invited in code.invitations.list(get_all=True):
    code.invitations.delete(invited.invite_email)
assert code.invitations.list() == []
assert "commit_id" in offer.merge_ref()
assert offer.rebase()["rebase_in_progress"]
status = code.commits.get(offer.sha).statuses.create({"state": "running", "ref": "work", "name": "build"})
assert [pipeline.sha for pipeline in offer.pipelines.list()] == [offer.sha]
waiting = offer.merge(merge_when_pipeline_succeeds=True)
assert waiting["merge_when_pipeline_succeeds"] and waiting["state"] == "opened"
assert offer.cancel_merge_when_pipeline_succeeds() == {"status": "success"}
try:
    offer.merge(sha="0" * 40)
    raise AssertionError("another head")
except gitlab.GitlabMRClosedError as refusal:
    assert refusal.response_code == 409
merged = offer.merge(merge_commit_message="Merged by hand", sha=offer.sha)
assert merged["state"] == "merged" and merged["merge_commit_sha"]
assert code.commits.get("main").message == "Merged by hand"
assert code.issues.get(bug.iid).state == "closed"
assert [branch.name for branch in code.branches.list()] == ["main"]
try:
    code.mergerequests.get(offer.iid).merge()
    raise AssertionError("a second time")
except gitlab.GitlabMRClosedError as refusal:
    assert refusal.response_code == 406
code.mergerequests.get(offer.iid).delete()
code.delete()

# the end
project.delete()
difference.members.delete(ada.id)
engines.delete()
ada.delete()
print("python-gitlab", gitlab.__version__, "is content")
