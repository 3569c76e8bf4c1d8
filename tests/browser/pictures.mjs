// Pictures of pages for README.
//
//   node pictures.mjs URL TOKEN FOLDER   (of an administrator; the packages are found through NODE_PATH)

import { launch, person, ready, signInFirst, url } from "./browser.mjs";
import { world } from "./world.mjs";

const folder = process.argv[4];
const LOOK = { viewport: { width: 1200, height: 750 }, colorScheme: "light", locale: "en-GB", timezoneId: "UTC" };

await ready();
const browser = await launch();
try {
  const { user, path } = await world("pictures");
  const { page, hand, end } = await person(browser, "script", [], LOOK);
  await signInFirst({ page, hand }, user);
  for (const [name, below] of [["project", ""], ["issue", "/issues/1"], ["changes", "/merge_requests/1/diffs"]]) {
    await page.goto(url + path + below);
    await page.screenshot({ path: `${folder}/${name}.png` });
  }
  await end();
} finally {
  await browser.close();
}
