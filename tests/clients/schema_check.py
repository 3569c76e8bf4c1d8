"""Checks a running server against its own description with schemathesis, with ids of things that exist.

`cargo xtask schema-check` installs what this needs, starts a server and runs it:

    python tests/clients/schema_check.py http://127.0.0.1:8080 TOKEN CASES SEED FOLDER

The server's data changes: never run it against one that is in use. FOLDER takes the description as it is tested.
"""

import base64
import collections
import json
import re
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import requests

url, token, cases, seed, folder = sys.argv[1:6]
folder = Path(folder)
session = requests.Session()
session.headers["Private-Token"] = token


def call(method, path, /, **body):
    reply = session.request(method, f"{url}/api/v4{path}", json=body or None)
    assert reply.ok, (method, path, reply.status_code, reply.text)
    return reply.json() if reply.text else None


def post(path, /, **body):
    return call("POST", path, **body)


def several(count, make):
    return [make(number) for number in range(count)]


def user(number, prefix="person"):
    name = f"{prefix}{number}"
    return post("/users", name=name, username=name, email=f"{name}@example.org", password="correct-horse-9",
                skip_confirmation=True)["id"]


def project(number, prefix="spare-project"):
    return post("/projects", name=f"{prefix}-{number}", initialize_with_readme=True)["id"]


def group(number, prefix="spare-group"):
    return post("/groups", name=f"{prefix}-{number}", path=f"{prefix}-{number}")["id"]


def wait():
    """Waits for the server to answer, for as long as a first start takes."""
    for _ in range(300):
        try:
            return session.get(f"{url}/-/readiness", timeout=5)
        except requests.ConnectionError:
            time.sleep(0.1)
    sys.exit(f"{url} does not answer")


wait()

# Generated requests may shut small ids, the first administrator among them: another one sends them.
driver = post("/users", name="driver", username="driver", email="driver@example.org", password="correct-horse-9",
              admin=True, skip_confirmation=True)["id"]
token = post(f"/users/{driver}/personal_access_tokens", name="driver", scopes=["api"])["token"]
session.headers["Private-Token"] = token

# What is there to be read and written, and stays.
people = several(3, user)
groups = several(2, lambda number: group(number, "group"))
home = project(0, "home")
at = f"/projects/{home}"
for person in people[:2]:
    post(f"{at}/members", user_id=person, access_level=30)
    post(f"/groups/{groups[0]}/members", user_id=person, access_level=40)
code = f"{at}/repository"
commit = post(f"{code}/commits", branch="main", commit_message="Add files", actions=[
    {"action": "create", "file_path": path, "content": f"{path}\nsecond line\n"}
    for path in ("LICENSE", "src/main.rs", "docs/a b.md")])["id"]
for branch in ("topic", "other"):
    post(f"{code}/branches", branch=branch, ref="main")
    post(f"{code}/commits", branch=branch, commit_message=f"Change {branch}",
         actions=[{"action": "create", "file_path": f"{branch}.txt", "content": branch}])
post(f"{code}/tags", tag_name="v1.0", ref="main", message="One")
blob = next(entry["id"] for entry in call("GET", f"{code}/tree") if entry["type"] == "blob")
several(40, lambda number: post(f"{at}/issues", title=f"Issue {number}"))
labels = several(2, lambda number: post(f"{at}/labels", name=f"label {number}", color="#ff0000")["id"])
group_labels = several(2, lambda number: post(f"/groups/{groups[0]}/labels", name=f"all {number}", color="#00ff00")["id"])
milestones = several(2, lambda number: post(f"{at}/milestones", title=f"milestone {number}")["id"])
group_milestones = several(2, lambda n: post(f"/groups/{groups[0]}/milestones", title=f"all {n}")["id"])
hooks = several(2, lambda number: post(f"{at}/hooks", url=f"https://hooks.example/{number}")["id"])
status = post(f"{at}/statuses/{commit}", state="running", ref="main")
pipelines = [pipeline["id"] for pipeline in call("GET", f"{at}/pipelines")]
for source in ("topic", "other"):
    post(f"{at}/merge_requests", source_branch=source, target_branch="main", title=f"Merge {source}")
versions = [version["id"] for version in call("GET", f"{at}/merge_requests/1/versions")]
found = {}
EMOJI = ("smile", "star", "rocket", "eyes", "fire", "bug")
for kind in ("issues", "merge_requests"):
    one = f"{at}/{kind}/1"
    thread = post(f"{one}/discussions", body="A thread")
    found[kind] = {
        "note_id": [post(f"{one}/notes", body="A note")["id"]],
        "award_id": [post(f"{one}/award_emoji", name="heart")["id"]],
        "discussion_id": [thread["id"]],
        "threaded": [thread["notes"][0]["id"]],
        "spare_threaded": several(4, lambda number: post(
            f"{one}/discussions/{thread['id']}/notes", body=f"Spare {number}")["id"]),
        "spare_notes": several(6, lambda number: post(f"{one}/notes", body=f"Spare {number}")["id"]),
        "spare_awards": several(6, lambda number: post(f"{one}/award_emoji", name=EMOJI[number])["id"]),
    }
    note = found[kind]["note_id"][0]
    found[kind]["note_award"] = [post(f"{one}/notes/{note}/award_emoji", name="tada")["id"]]
    found[kind]["spare_note_awards"] = several(6, lambda number: post(
        f"{one}/notes/{note}/award_emoji", name=EMOJI[number])["id"])
    call("PUT", one, labels="label 0", milestone_id=milestones[0], assignee_id=people[0])
    for change in ("close", "reopen"):
        call("PUT", one, state_event=change)
    for event in ("label", "milestone", "state"):
        path = f"resource_{event}_events"
        found[kind][path] = [event["id"] for event in call("GET", f"{one}/{path}")]
link = post(f"{at}/issues/1/links", target_project_id=home, target_issue_iid=2)
links = [other["issue_link_id"] for other in call("GET", f"{at}/issues/1/links")]
tokens = [post(f"/users/{people[0]}/impersonation_tokens", name="walk", scopes=["api"])["id"]]
own_tokens = several(9, lambda n: post(f"/users/{people[0]}/personal_access_tokens", name=f"own {n}", scopes=["api"])["id"])
# Generated requests may also rotate tokens with small ids: the one that they are sent with gets a larger one.
several(90, lambda n: post(f"/users/{people[1]}/personal_access_tokens", name=f"spare {n}", scopes=["api"]))
token = post(f"/users/{driver}/personal_access_tokens", name="requests", scopes=["api"])["token"]
session.headers["Private-Token"] = token
todos = [post(f"{at}/issues/{number}/todo")["id"] for number in range(1, 6)]


def ssh_key(number):
    parts = (b"ssh-ed25519", number.to_bytes(32, "big"))
    return "ssh-ed25519 " + base64.b64encode(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).decode()


BLOCKS = Path(__file__).resolve().parents[2] / "crates/testkit/src/keys"
# What belongs to the caller and to another account, and what of it may go.
belongings = {}
for home_of, first, blocks in (("/user", 1, ("alice", "bob")), (f"/users/{people[0]}", 21, ("carol", "dave"))):
    keys = several(8, lambda n: post(f"{home_of}/keys", title=f"key {n}", key=ssh_key(first + n))["id"])
    emails = several(8, lambda n: post(f"{home_of}/emails", email=f"address{first + n}@example.org")["id"])
    gpg_keys = [post(f"{home_of}/gpg_keys", key=(BLOCKS / f"{name}.asc").read_text())["id"] for name in blocks]
    belongings[home_of.split("/")[1]] = {
        "keys": (keys[:2], keys[2:]), "emails": (emails[:2], emails[2:]), "gpg_keys": (gpg_keys[:1], gpg_keys[1:]),
    }
deploy_keys = several(8, lambda n: post(f"{at}/deploy_keys", title=f"deploy {n}", key=ssh_key(50 + n))["id"])

# What may go: for requests that remove a thing, rename it, or shut it.
spare_people = several(6, lambda number: user(number, "spare"))
spare_projects = several(6, project)
spare_groups = several(6, group)
spares = {
    "label_id": several(6, lambda number: post(f"{at}/labels", name=f"spare {number}", color="#ff0000")["id"]),
    "milestone_id": several(6, lambda number: post(f"{at}/milestones", title=f"spare {number}")["id"]),
    "hook_id": several(6, lambda number: post(f"{at}/hooks", url=f"https://hooks.example/spare/{number}")["id"]),
    "branch": several(6, lambda number: post(f"{code}/branches", branch=f"spare-{number}", ref="main")["name"]),
    "tag_name": several(6, lambda number: post(f"{code}/tags", tag_name=f"v0.{number}", ref="main")["name"]),
}
spare_group_labels = several(6, lambda n: post(f"/groups/{groups[0]}/labels", name=f"spare {n}", color="#00ff00")["id"])
spare_group_milestones = several(6, lambda n: post(f"/groups/{groups[0]}/milestones", title=f"spare {n}")["id"])
for person in spare_people:
    post(f"{at}/members", user_id=person, access_level=30)
    post(f"/groups/{groups[0]}/members", user_id=person, access_level=30)
for other in spare_groups:
    post(f"{at}/share", group_id=other, group_access=30)
    post(f"/groups/{groups[0]}/share", group_id=other, group_access=30)

REMOVES = {"delete", "archive", "unarchive", "transfer", "block", "unblock", "activate", "deactivate"}


def shuts(method, path, name):
    """Whether the request can take the thing called `name` away from the requests after it."""
    last = path.rsplit("/", 1)[-1]
    return (method in ("delete", "put") and path.endswith("{%s}" % name)) or last in REMOVES


def values(method, path, name):
    """Values of a parameter of a path that exist."""
    kind = "merge_requests" if "/merge_requests/" in path else "issues"
    spare = shuts(method, path, name)
    collection = path.split("/")[1]
    if name in ("id", "project_id", "group_id", "user_id", "id_or_username", "forked_from_id"):
        of = {"group_id": "groups", "project_id": "projects", "forked_from_id": "projects"}.get(name, collection)
        if name == "user_id" or name == "id_or_username":
            of = "users"
        return {
            "projects": spare_projects if spare else [home, "driver/home-0"],
            "groups": spare_groups if spare else [groups[0], "group-0"],
            "users": spare_people if spare else people,
            "namespaces": [groups[0], "driver"],
            "personal_access_tokens": own_tokens,
            "todos": todos,
            "keys": belongings["user"]["keys"][0],
        }.get(of)
    if name == "key_id" and "/deploy_keys/" in path:
        return deploy_keys[2:] if method == "delete" else deploy_keys[:2]
    if name in ("key_id", "email_id"):
        segments = path.split("/")
        ends = method == "delete" or segments[-1] == "revoke"
        return belongings[collection][segments[segments.index("{%s}" % name) - 1]][ends]
    deep = path.count("{") > 2
    if name == "issue_iid" or name == "merge_request_iid":
        if path.endswith(("/move", "/merge")) or spare:
            return list(range(10, 40)) if kind == "issues" else [2]
        return [1] if deep else [1, 2]
    removed = method == "delete" and path.endswith("{%s}" % name)
    if name == "award_id":
        of_note = "{note_id}" in path
        kept, gone = ("note_award", "spare_note_awards") if of_note else ("award_id", "spare_awards")
        return found[kind][gone if removed else kept]
    if name == "note_id":
        kept, gone = ("threaded", "spare_threaded") if "{discussion_id}" in path else ("note_id", "spare_notes")
        return found[kind][gone if removed else kept]
    if name == "event_id":
        return found[kind][path.split("/")[-2]] or [1]
    if removed and collection == "groups" and name in ("label_id", "milestone_id"):
        return spare_group_labels if name == "label_id" else spare_group_milestones
    if removed and name in spares:
        return spares[name]
    return {
        "discussion_id": found[kind]["discussion_id"],
        "issue_link_id": links,
        "branch": ["main", "topic", "gone"],
        "file_path": ["README.md", "src/main.rs", "docs/a b.md"],
        "format": ["zip", "tar.gz", "tar"],
        "hook_id": hooks,
        "impersonation_token_id": tokens,
        "key": {
            "{type}": ["Node", "mit", "Nodejs"], "dockerfiles": ["Node"], "gitignores": ["Node", "C++"],
            "gitlab_ci_ymls": ["Nodejs"], "licenses": ["mit", "gpl-3.0"],
        }.get(path.split("/")[-2], ["place", "colour"]),
        "label_id": group_labels if collection == "groups" else labels,
        "milestone_id": group_milestones if collection == "groups" else milestones,
        "name": ["main", "v1.0", "next-*"],
        "pipeline_id": pipelines,
        "slug": ["slack", "flowdock", "external-wiki", "emails-on-push"],
        "sha": [blob] if "/blobs/" in path else [commit, "main"],
        "submodule": ["lib"],
        "tag_name": ["v1.0"],
        "version_id": versions,
    }.get(name)


document = session.get(f"{url}/api/v4/openapi.json").json()
operations = 0


def name_branches(schema):
    """Lets requests name branches that exist."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    for name, known in (("branch", ["topic", "other"]), ("ref", ["main", "v1.0"])):
        if schema.get("properties", {}).get(name, {}).get("type") == "string":
            schema["properties"][name]["enum"] = known


# Settings that would refuse the requests after them, or hide the figures that are read in the end.
settings = document["paths"]["/application/settings"]["put"]["requestBody"]["content"][
    "application/json"]["schema"]["properties"]
for name in list(settings):
    if name.startswith(("throttle_", "unique_ips_", "prometheus_metrics_", "enforce_terms")):
        del settings[name]

for path, methods in document["paths"].items():
    for method, operation in methods.items():
        operations += 1
        for media in operation.get("requestBody", {}).get("content", {}).values():
            name_branches(media["schema"])
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and parameter["name"] in ("from", "to") and "compare" in path:
                parameter["schema"]["enum"] = ["main", "topic"]
            if parameter["name"] == "seconds" and path == "/events/stream":
                # A stream that is not to end at once lasts for an hour.
                parameter["required"], parameter["schema"]["enum"] = True, [0]
            if parameter["in"] == "path" and (known := values(method, path, parameter["name"])):
                if parameter["schema"].get("type") != "integer":
                    known = [str(value) for value in known]
                parameter["schema"]["enum"] = known
folder.mkdir(parents=True, exist_ok=True)
described = folder / "openapi.json"
described.write_text(json.dumps(document))

each = max(1, int(cases) // operations)
print(f"{operations} operations, {each} cases each and those at the bounds of each parameter, seed {seed}", flush=True)
program = Path(sysconfig.get_path("scripts")) / "st"
checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ended = subprocess.run([
    program, "run", described, "--url", f"{url}/api/v4", "-H", f"Private-Token: {token}", "--checks", checks,
    "--phases", "fuzzing" if int(cases) < 2_000 else "coverage,fuzzing", "--max-examples", str(each), "--seed", seed,
    "--generation-database", "none", "--generation-with-security-parameters", "false", "--no-color",
    "--suppress-health-check", "all", "--continue-on-failure", "--no-shrink", "--warnings", "off",
    "--request-timeout", "30", "--max-redirects", "0",
    # These would take away the token that the requests are sent with.
    "--exclude-path-regex", "^/personal_access_tokens/self",
], cwd=folder)

# Refusals alone would prove nothing: most operations must have done what they are for.
if not session.get(f"{url}/api/v4/user").ok:
    sys.exit("FAILED: the token that the requests were sent with was lost on the way")
statuses, succeeded = collections.Counter(), set()
for labels, count in re.findall(r"^tenon_http_requests_total\{(.*)\} (\d+)$", session.get(f"{url}/-/metrics").text, re.M):
    label = dict(re.findall(r'(\w+)="([^"]*)"', labels))
    if {"status", "route", "method"} <= label.keys():
        statuses[label["status"]] += int(count)
        if label["status"].startswith("2"):
            succeeded.add((label["method"].lower(), label["route"]))
never = [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods
         if (method, path) not in succeeded]
print("answers:", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
print(f"operations that never succeeded: {len(never)}", *never, sep="\n  ")
if int(cases) >= 10_000 and len(never) > operations // 10:
    sys.exit("FAILED: too few operations did what they are for")
sys.exit(ended.returncode)
