// One box selects all rows of a list, and one form changes all of them.

import assert from "node:assert/strict";

import { make, person, signIn, signInFirst, url } from "./browser.mjs";

export const lists = async (browser, { id, user, path }) => {
  let first = true;
  for (const mode of ["script", "keyboard"]) {
    const someone = await person(browser, mode);
    const { page, hand } = someone;
    await (first ? signInFirst : signIn)(someone, user);
    first = false;
    await make("POST", `/projects/${id}/issues`, { title: `Selected by ${mode}` });
    await make("POST", `/projects/${id}/issues`, { title: "Selected as well" });
    await page.goto(`${url}${path}/issues`);
    const form = page.locator("#bulk");
    const [all, rows] = [page.getByLabel("Select all"), page.locator("[name='iids[]']")];
    const count = await rows.count();
    assert.ok(count >= 2 && !await form.isVisible(), `${count} rows`);
    const ticked = () => rows.evaluateAll((boxes) => boxes.filter((box) => box.checked).length);
    await hand.tick(page, "Select all");
    assert.equal(await ticked(), count);
    await all.press("Space");
    assert.deepEqual([await ticked(), await form.isVisible()], [0, false]);
    await all.press("Space");
    await hand.choose(page, form.getByLabel("State"), "Close");
    await hand.press(page, "Save", form);
    await page.getByText("No issues").waitFor();
    assert.deepEqual(await make("GET", `/projects/${id}/issues?state=opened`), []);
    await someone.end();
  }
  console.log("ok: lists");
};
