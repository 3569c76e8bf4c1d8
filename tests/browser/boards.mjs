// Issues of a board move between its columns: dragged, by keys, and by the form of a card.

import assert from "node:assert/strict";

import { make, person, signIn, signInFirst, url } from "./browser.mjs";

export const boards = async (browser, { id, user, path }) => {
  let first = true;
  for (const mode of ["script", "keyboard", "without script"]) {
    const someone = await person(browser, mode);
    const { page, hand } = someone;
    await (first ? signInFirst : signIn)(someone, user);
    first = false;
    await make("POST", `/projects/${id}/labels`, { name: `doing ${mode}`, color: "#336699" });
    const one = await make("POST", `/projects/${id}/issues`, { title: `First of ${mode}` });
    await make("POST", `/projects/${id}/issues`, { title: `Second of ${mode}` });
    await page.goto(`${url}${path}/issues`);
    await hand.follow(page, "Boards", page.locator(".filters"));
    await hand.fill(page, "Name", `Board of ${mode}`);
    await hand.press(page, "Create board");
    await hand.open(page, "Add list");
    await hand.choose(page, page.getByLabel("Label", { exact: true }), `doing ${mode}`);
    await hand.press(page, "Add list", page.locator("details[open] form"));
    const column = (name) => page.locator(".board > section").filter({ has: page.getByRole("heading", { name, exact: true }) });
    const card = (title) => page.locator("[data-card]").filter({ hasText: title });
    const titles = async (name) => (await column(name).locator("h3").allTextContents()).map((title) => title.trim()).slice(0, 2);
    const list = `doing ${mode}`;
    assert.deepEqual(await titles("Open"), [`Second of ${mode}`, `First of ${mode}`]);
    // Down by one.
    const down = async () => {
      if (mode === "script") {
        const target = card(`First of ${mode}`);
        const box = await target.boundingBox();
        await card(`Second of ${mode}`).dragTo(target, { targetPosition: { x: 40, y: box.height - 4 } });
      } else if (mode === "keyboard") {
        await card(`Second of ${mode}`).locator("h3 a").focus();
        await page.keyboard.press("Shift+ArrowDown");
      } else {
        await card(`Second of ${mode}`).getByText("Move", { exact: true }).first().click();
        await card(`Second of ${mode}`).getByRole("button", { name: "Move down" }).click();
      }
      await page.getByText("Issue moved.").first().waitFor();
    };
    await down();
    assert.deepEqual(await titles("Open"), [`First of ${mode}`, `Second of ${mode}`]);
    // Into the list: it gets the label.
    if (mode === "script") {
      await card(`First of ${mode}`).dragTo(column(list));
    } else if (mode === "keyboard") {
      await card(`First of ${mode}`).locator("h3 a").focus();
      await page.keyboard.press("Shift+ArrowRight");
    } else {
      await card(`First of ${mode}`).getByText("Move", { exact: true }).first().click();
      await card(`First of ${mode}`).getByLabel("List").selectOption(list);
      await card(`First of ${mode}`).getByRole("button", { name: "Move", exact: true }).click();
    }
    await column(list).locator("[data-card]").first().waitFor();
    assert.deepEqual(await titles(list), [`First of ${mode}`]);
    const [labelled] = await make("GET", `/projects/${id}/issues?labels=${encodeURIComponent(list)}`);
    assert.equal(labelled.id, one.id);
    if (mode === "keyboard") {
      const focused = await page.evaluate(() => document.activeElement.closest("[data-card]")?.dataset.card);
      assert.equal(focused, `${one.id}`, "the focus stays with the card");
    }
    await someone.end();
  }
  console.log("ok: boards");
};
