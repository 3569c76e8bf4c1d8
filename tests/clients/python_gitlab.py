"""Drives a running server with an unmodified python-gitlab: sign in, users, groups, projects, members.

Not part of `cargo test`, because it needs a package from outside:

    pip install python-gitlab
    python tests/clients/python_gitlab.py http://127.0.0.1:8080 TOKEN
"""

import sys

import gitlab

url, token = sys.argv[1:3]
gl = gitlab.Gitlab(url, private_token=token)
gl.auth()
assert gl.user.username == "root", gl.user
assert gl.version()[0].count(".") == 2

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
ada.customattributes.set("place", "London")
assert gl.users.list(custom_attributes={"place": "London"})[0].id == ada.id
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

# the end
project.delete()
difference.members.delete(ada.id)
engines.delete()
ada.delete()
print("python-gitlab", gitlab.__version__, "is content")
