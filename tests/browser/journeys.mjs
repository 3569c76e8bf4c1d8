// Journeys of people over the pages in a real browser, each with script, without script, and by keyboard alone. Also
// the rules for each kind of page. Nothing may break the policy of the pages, or ask another server for anything.
//
//   node journeys.mjs URL TOKEN   (of an administrator; the packages are found through NODE_PATH)

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { account, elsewhere, inWindow, passkeys, tryApi } from "./account.mjs";
import { boards } from "./boards.mjs";
import { MODES, api, launch, ready } from "./browser.mjs";
import { colours } from "./colours.mjs";
import { diffs } from "./diffs.mjs";
import { fields } from "./fields.mjs";
import { files } from "./files.mjs";
import { inspect } from "./inspect.mjs";
import { lists } from "./lists.mjs";
import { measures } from "./measures.mjs";
import { menus, privately } from "./menus.mjs";
import { remarks } from "./remarks.mjs";
import { tasks } from "./tasks.mjs";
import { team } from "./team.mjs";
import { newProject, texts } from "./texts.mjs";
import { work } from "./work.mjs";
import { world } from "./world.mjs";

await ready();
// The application: it only has to be there when the browser arrives.
const listener = createServer((_, answer) => answer.end("arrived")).listen(0, "127.0.0.1");
await once(listener, "listening");
const callback = `http://127.0.0.1:${listener.address().port}/callback`;
const application = await api("POST", "/api/v4/applications", {
  name: "App", redirect_uri: callback, scopes: "api read_user", confidential: true,
});
assert.equal(application.status, 201, JSON.stringify(application));
const browser = await launch();
try {
  let made;
  for (const mode of MODES) {
    await account(browser, mode, application.body, callback);
    made = await world(mode);
    await work(browser, mode, made);
    await team(browser, mode, made);
    await files(browser, mode, made);
  }
  await privately(browser, made);
  await menus(browser, made);
  await fields(browser, made);
  await diffs(browser, made);
  await remarks(browser, made);
  await colours(browser, made);
  await texts(browser, made);
  await newProject(browser, made);
  await inWindow(browser, application.body, callback);
  await tryApi(browser);
  await passkeys(browser);
  await elsewhere(browser);
  await tasks(browser);
  await lists(browser, await world("selected"));
  await boards(browser, await world("moved"));
  await measures(browser, await world("measured"));
  await inspect(browser, await world("inspected"));
} finally {
  await browser.close();
  listener.close();
}
