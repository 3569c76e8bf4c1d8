"""Sends the calls of a client for courses (students fork assignments, instructors collect what they made of them) to a running
server. The client puts the parameters of reads into the body of a form, and asks for its token with everything in the query.

Not part of `cargo test`, because it needs a package from outside:

    pip install requests
    python tests/clients/travo_calls.py http://127.0.0.1:8080 TOKEN
"""

import base64
import sys
import time
from urllib.parse import quote

import requests

url, token = sys.argv[1:3]
mark = str(time.time_ns())
password = "analytical-engine"
root = requests.Session()
root.headers["Private-Token"] = token


def call(session, method, path, status, **options):
    where = path if path.startswith("/oauth") else f"/api/v4/{path}"
    reply = session.request(method, f"{url}{where}", **options)
    assert reply.status_code == status, (method, path, reply.status_code, reply.text)
    return reply


def sign_in(username):
    """A session of a user: the password grant in the query, then a question about the token, which is in the body of a read."""
    session = requests.Session()
    asked = {"grant_type": "password", "username": username, "password": password, "scope": "api"}
    access = call(session, "POST", "/oauth/token", 200, params=asked).json()["access_token"]
    wrong = call(session, "GET", "/oauth/token/info", 401, data={"access_token": "unknown"}).json()
    assert wrong["error"] == "invalid_token" and wrong["error_description"], wrong
    info = call(session, "GET", "/oauth/token/info", 200, data={"access_token": access}).json()
    assert info["expires_in"] > 7000, info
    session.headers["Authorization"] = f"Bearer {access}"
    return session


def pages(session, path, data):
    """All pages of a list whose parameters, the number of the page among them, are in the body."""
    found, page = [], "1"
    while page:
        assert len(found) <= 1000, "the number of the page is read"
        reply = call(session, "GET", path, 200, data={**data, "per_page": 2, "page": page})
        found.extend(reply.json())
        page = reply.headers.get("X-Next-Page")
    return found


people = {}
for name in ("instructor", "student"):
    body = {"username": f"{name}-{mark}", "name": name, "email": f"{name}-{mark}@client.example", "password": password,
            "skip_confirmation": True}
    people[name] = call(root, "POST", "users", 201, data=body).json()
refused = requests.post(f"{url}/oauth/token", params={"grant_type": "password", "username": people["student"]["username"],
                                                      "password": "wrong", "scope": "api"}, timeout=60)
assert refused.status_code == 400 and "access_token" not in refused.json(), refused.text
instructor, student = sign_in(people["instructor"]["username"]), sign_in(people["student"]["username"])
me = call(student, "GET", "user", 200).json()
assert me["id"] == people["student"]["id"] and me["username"] == people["student"]["username"]
call(student, "GET", "user/status", 200)
found = call(instructor, "GET", f"users?username={me['username']}", 200).json()
assert [user["id"] for user in found] == [me["id"]], found
assert call(instructor, "GET", f"users/{me['id']}", 200).json()["username"] == me["username"]

# A course is a group with a group for each session, found by its path.
top = f"course-{mark}"
group = call(instructor, "POST", "groups", 201, data={"path": top, "name": "A course", "visibility": "public"}).json()
below = {"path": "2026", "parent_id": group["id"], "name": "2026", "visibility": "public"}
below = call(instructor, "POST", "groups", 201, data=below).json()
full_path = f"{top}/2026"
assert call(instructor, "GET", f"groups/{quote(full_path, safe='')}", 200, data={"with_projects": False}).json()["id"] == below["id"]
namespace = call(instructor, "GET", f"namespaces/{quote(full_path, safe='')}", 200).json()
assert namespace["id"] == below["id"] and namespace["full_path"] == full_path, namespace
missing = call(instructor, "GET", f"namespaces/{quote(full_path + '/none', safe='')}", 404).json()
assert missing["message"] == "404 Namespace Not Found", missing
search = call(instructor, "GET", f"namespaces?search={quote(full_path, safe='')}", 200).json()
assert [one["full_path"] for one in search] == [full_path], search
assert [one["id"] for one in call(instructor, "GET", f"groups/{group['id']}/subgroups", 200).json()] == [below["id"]]

# An assignment, with some history.
body = {"path": "week-1", "namespace_id": below["id"], "name": "Week 1", "visibility": "public"}
missing = call(instructor, "GET", f"projects/{quote(full_path + '/week-1', safe='')}", 404).json()
assert missing["message"].startswith("404"), missing
assignment = call(instructor, "POST", "projects", 201, data=body).json()
files = f"projects/{assignment['id']}/repository/files"
for number in range(5):
    body = {"content": f"question {number}", "branch": "main", "commit_message": f"Question {number}"}
    call(instructor, "POST", f"{files}/{quote(f'questions/{number}.md', safe='')}", 201, data=body)
body = {"content": base64.b64encode(b"\x00\x01").decode(), "branch": "main", "commit_message": "Data", "encoding": "base64"}
call(instructor, "POST", f"{files}/data.bin", 201, data=body)
file = call(instructor, "GET", f"{files}/data.bin", 200, data={"ref": "main"}).json()
assert base64.b64decode(file["content"]) == b"\x00\x01", file
call(instructor, "PUT", f"{files}/data.bin", 200, data={**body, "content": base64.b64encode(b"\x02").decode()})
gone = call(instructor, "GET", f"{files}/none", 404, data={"ref": "main"}).json()
assert gone["message"] == "404 File Not Found", gone
commits = pages(instructor, f"projects/{assignment['id']}/repository/commits", {})
assert len(commits) == 7 and commits[-1]["title"] == "Question 0", [commit["title"] for commit in commits]
branch = call(instructor, "GET", f"projects/{assignment['id']}/repository/branches/main", 200).json()
assert branch["name"] == "main"
absent = call(instructor, "GET", f"projects/{assignment['id']}/repository/branches/none", 404).json()
assert absent["message"] == "404 Branch Not Found", absent
call(instructor, "POST", f"projects/{assignment['id']}/repository/branches", 201, data={"branch": "hints", "ref": "main"})
assert len(call(instructor, "GET", f"projects/{assignment['id']}/repository/branches", 200).json()) == 2
protected = call(instructor, "POST", f"projects/{assignment['id']}/protected_branches/", 201, data={"name": "hints"}).json()
assert protected["name"] == "hints"
call(instructor, "DELETE", f"projects/{assignment['id']}/protected_branches/hints", 204)

# A student's submission is a private project that is then made a fork of the assignment.
body = {"path": f"week-1-{mark}", "name": f"Week 1 {mark}", "visibility": "private"}
fork = call(student, "POST", "projects", 201, data=body).json()
assert call(student, "DELETE", f"projects/{fork['id']}/fork", 304).text == ""
fork = call(student, "POST", f"projects/{fork['id']}/fork/{assignment['id']}", 201).json()
assert fork["forked_from_project"]["path_with_namespace"] == f"{full_path}/week-1", fork
again = call(student, "GET", f"projects/{quote(fork['path_with_namespace'], safe='')}", 200).json()
assert again["forked_from_project"]["id"] == assignment["id"] and again["creator_id"] == me["id"]
call(student, "PUT", f"projects/{fork['id']}", 200, data={"description": "Mine"})
own = f"projects/{fork['id']}/repository/files/answer.md"
call(student, "POST", own, 201, data={"content": "42", "branch": "main", "commit_message": "Answer"})
shared = {"user_id": people["instructor"]["id"], "access_level": 40}
added = call(student, "POST", f"projects/{fork['id']}/members", 201, data=shared).json()
assert added["id"] == shared["user_id"] and added["access_level"] == 40, added
members = call(student, "GET", f"projects/{fork['id']}/members/all", 200).json()
assert {member["id"] for member in members} == {me["id"], shared["user_id"]}, members
staff = call(instructor, "POST", "groups", 201, data={"path": f"staff-{mark}", "name": "Staff"}).json()
given = call(instructor, "POST", f"projects/{assignment['id']}/share", 201, data={"group_id": staff["id"], "group_access": 30}).json()
assert (given["group_id"], given["group_access"], given["project_id"]) == (staff["id"], 30, assignment["id"]), given

# The instructor collects the submissions.
forks = pages(instructor, f"projects/{assignment['id']}/forks", {"simple": False})
assert [one["id"] for one in forks] == [fork["id"]] and "default_branch" in forks[0], forks
simple = call(instructor, "GET", f"projects/{assignment['id']}/forks", 200, data={"simple": True}).json()
assert [one["id"] for one in simple] == [fork["id"]] and "owner" not in simple[0], simple
asked = {"simple": True, "owned": False, "with_shared": False, "order_by": "created_at", "sort": "asc"}
of_group = pages(instructor, f"groups/{below['id']}/projects", asked)
assert [one["id"] for one in of_group] == [assignment["id"]], of_group
assert [one["id"] for one in pages(student, f"users/{me['id']}/projects", {})] == [fork["id"]]
high = call(instructor, "GET", "projects", 200, data={"min_access_level": 40, "page": "1"}).json()
assert {assignment["id"], fork["id"]} <= {one["id"] for one in high}, high
compared = {"from": "main", "to": "hints", "from_project_id": assignment["id"]}
same = call(instructor, "GET", f"projects/{assignment['id']}/repository/compare", 200, data=compared).json()
assert same["commits"] == [] and same["diffs"] == [], same
assert call(instructor, "GET", f"projects/{assignment['id']}/pipelines", 200).json() == []
people_of_group = call(instructor, "GET", f"groups/{below['id']}/members/all", 200).json()
assert [member["id"] for member in people_of_group] == [people["instructor"]["id"]], people_of_group

# At the end of the course.
assert call(student, "POST", f"projects/{fork['id']}/archive", 200).json()["archived"] is True
for session, path in ((student, f"projects/{quote(fork['path_with_namespace'], safe='')}"), (instructor, f"projects/{assignment['id']}"),
                      (instructor, f"groups/{group['id']}"), (instructor, f"groups/{staff['id']}")):
    assert call(session, "DELETE", path, 202).json() == {"message": "202 Accepted"}
for person in people.values():
    # The groups are removed by jobs, which may not be done.
    call(root, "DELETE", f"users/{person['id']}", 204, params={"hard_delete": True})
print("ok")
