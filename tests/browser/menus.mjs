// Menus open below their buttons, and close again: by Escape, by a click elsewhere, and when another one opens; without
// script by their buttons. A link to something private leads a stranger to sign in and back.

import assert from "node:assert/strict";

import { PASSWORD, person, signIn, url } from "./browser.mjs";

const isOpen = (menu) => menu.evaluate((element) => element.open);
const assertOpen = async (menu, want, words) => assert.equal(await isOpen(menu), want, words);

const checkMenu = async (page, menu, hasScript) => {
  const button = menu.locator("summary");
  await button.click();
  await assertOpen(menu, true, "its button opens it");
  const [end, begin] = await menu.evaluate((element) => [
    element.querySelector("summary").getBoundingClientRect().bottom, element.querySelector(":scope > :not(summary)").getBoundingClientRect().top,
  ]);
  const [left, right, wide] = await menu.evaluate((element) => {
    const box = element.querySelector(":scope > :not(summary)").getBoundingClientRect();
    return [box.left, box.right, document.documentElement.clientWidth];
  });
  assert.ok(left >= 0 && right <= wide, `the list goes from ${left} to ${right} of ${wide}`);
  assert.ok(begin >= end - 1, `the list begins at ${begin}, and the button ends at ${end}`);
  await button.click();
  await assertOpen(menu, false, "its button closes it");
  if (!hasScript) return;
  await button.click();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await assertOpen(menu, false, "Escape closes it");
  assert.ok(await button.evaluate((element) => element === document.activeElement), "the focus is on its button again");
  await button.click();
  await page.locator(".foot").click({ position: { x: 2, y: 2 } });
  await assertOpen(menu, false, "a click elsewhere closes it");
};

export const menus = async (browser, world) => {
  for (const mode of ["script", "without script"]) {
    const someone = await person(browser, mode);
    const { page } = someone;
    await signIn(someone, world.user);
    for (const size of [{ width: 1280, height: 900 }, { width: 390, height: 844 }]) {
      await page.setViewportSize(size);
      await page.goto(`${url}${world.path}`);
      const [ofUser, branches, download] = [page.locator(".site details.menu.last"), page.locator("main details.menu").first(), page.locator("main details.menu").last()];
      for (const menu of [ofUser, branches, download, page.locator(".crumbs details.menu")]) await checkMenu(page, menu, mode === "script");
      if (mode !== "script") continue;
      await download.locator("summary").click();
      await ofUser.locator("summary").click();
      await assertOpen(download, false, "another one has opened");
      await page.goto(`${url}${world.path}/issues/1`);
      const react = page.locator("details.react").first();
      await react.locator("summary").click();
      await assertOpen(react, true, "its button opens it");
      await page.keyboard.press("Escape");
      await assertOpen(react, false, "Escape closes every menu");
      await page.goto(`${url}${world.path}/project_members`);
      const tab = await page.locator(".place .tabs [aria-current]").boundingBox();
      assert.ok(tab.x >= 0 && tab.x + tab.width <= size.width, `${size.width} px: the present tab is at ${tab.x}`);
    }
    await someone.end();
  }
  console.log("ok: menus");
};

// A stranger who follows a link to something private signs in, and is there. Those who have signed in are not asked to.
export const privately = async (browser, world) => {
  for (const mode of ["script", "without script", "keyboard"]) {
    const someone = await person(browser, mode);
    const { page, hand, foresee } = someone;
    foresee("status of 404");
    await page.goto(`${url}${world.path}/issues/1?note=1#talk`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    const missing = await page.content();
    await hand.follow(page, "Sign in", page.getByRole("main"));
    await hand.fill(page, "Username or email address", world.user);
    await hand.fill(page, "Password", `${PASSWORD}0`);
    await hand.press(page, "Sign in");
    await page.getByRole("heading", { name: "The crank sticks" }).waitFor();
    assert.equal(new URL(page.url()).search, "?note=1");
    await page.goto(`${url}${world.path}/no/such/page`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    assert.equal(await page.getByText("Sign in").count(), 0, "who has signed in is not asked to");
    assert.equal(await page.getByText("Grace Hopper").count(), 1, "and has the header of all pages");
    assert.ok(!missing.includes("Grace Hopper"));
    await someone.end();
  }
  console.log("ok: private links");
};
