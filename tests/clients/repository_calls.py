"""Sends the calls of small clients (classroom tools, configuration management) to a running server: a branch in an empty
project, addresses with slashes too many, fields that newer clients read.

Not part of `cargo test`, because it needs a package from outside:

    pip install requests
    python tests/clients/repository_calls.py http://127.0.0.1:8080 TOKEN
"""

import sys
import time

import requests

url, token = sys.argv[1:3]
session = requests.Session()
session.headers["Private-Token"] = token
name = f"calls-{time.time_ns()}"


def call(method, path, status, **options):
    reply = session.request(method, f"{url}{path}", **options)
    assert reply.status_code == status, (method, path, reply.status_code, reply.text)
    return reply


# A project is made empty, and gets a branch before anything is pushed.
project = call("POST", "/api/v4/projects", 201, json={"name": name}).json()
assert project["empty_repo"] and project["default_branch"] == "main", project
branches = f"/api/v4/projects/{project['id']}/repository/branches"
topic = call("POST", branches, 201, json={"branch": "topic", "ref": "main"}).json()
assert topic["commit"]["web_url"].startswith(project["web_url"]), topic
assert {branch["name"] for branch in call("GET", branches, 200).json()} == {"main", "topic"}
assert call("POST", branches, 400, json={"branch": "topic", "ref": "main"}).json()["message"] == "Branch already exists"

# Addresses that were joined carelessly.
for path in ("//api/v4/projects/%s/", "/api/v4//projects/%s", "/api//v4/projects/%s//"):
    assert call("GET", path % project["id"], 200).json()["id"] == project["id"]
assert call("GET", f"/api/v4/projects/root%2F{name}/", 200).json()["id"] == project["id"]
call("GET", f"/api/v4/projects/root%2F%2F{name}", 404)
pages = call("GET", "/api/v4//projects/?per_page=1", 200)
assert "//projects" not in pages.headers["Link"], pages.headers["Link"]

# Fields and parameters of today.
files = f"/api/v4/projects/{project['id']}/repository/files"
assert call("GET", f"{files}/README.md/raw", 200).content == b""
assert [branch["name"] for branch in call("GET", f"{branches}?regex=^to", 200).json()] == ["topic"]
assert call("GET", f"/api/v4/projects/{project['id']}?license=true", 200).json()["license"] is None
made = call("POST", "/api/v4/projects", 201, json={"name": f"{name}-r", "initialize_with_readme": True}).json()
assert made["readme_url"].endswith("/blob/main/README.md"), made
for one in (project, made):
    call("DELETE", f"/api/v4/projects/{one['id']}", 202)
print("ok")
