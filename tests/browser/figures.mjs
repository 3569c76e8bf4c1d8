// The cost of pages in a browser, as a table in Markdown: the loaded files, the time of painting, and the time from a
// key in a form to its frame.
//
//   node figures.mjs URL TOKEN   (of an administrator; the packages are found through NODE_PATH)

import { PASSWORD, launch, make, person, ready, signInFirst, url } from "./browser.mjs";

const LOOK = { viewport: { width: 1280, height: 900 }, colorScheme: "light", locale: "en-GB", timezoneId: "UTC" };
const ROUNDS = 5;
const KEYS = 20;
const NOTE = "It sticks **again**, see `crank.rs`:\n\n- when cold\n- when [oiled](src/crank0.rs)\n\n> and loud\n";

const commit = (id, branch, title, actions, start) => make("POST", `/projects/${id}/repository/commits`, {
  branch, commit_message: title, actions, ...(start && { start_branch: start }),
});
const line = (file, number, word) => `    let step_${number} = ${word}(${file}, "${number}"); // turn ${number}\n`;
const program = (file, lines, word, changed = 0) => Array.from({ length: lines }, (_, number) => line(file, number, number < changed ? word : "turn")).join("");

// A merge request that changes so many lines in each of so many files.
const offer = async (id, branch, files, lines) => {
  const actions = Array.from({ length: files }, (_, file) => ({
    action: "update", file_path: `src/crank${file}.rs`, content: program(file, 60, "turn_slowly", lines),
  }));
  await commit(id, branch, `Turn ${branch}`, actions, "master");
  await make("POST", `/projects/${id}/merge_requests`, { source_branch: branch, target_branch: "master", title: `Turn ${branch}` });
};

// A project with an issue of 50 notes, a file of 500 lines, and merge requests of 2,000 and 10,000 changed lines.
const world = async () => {
  const user = "ada-figures";
  const ada = await make("POST", "/users", { username: user, name: "Ada", email: `${user}@example.org`, password: PASSWORD, skip_confirmation: true });
  const { id, path_with_namespace: path } = await make("POST", "/projects", { name: "Figures", visibility: "internal" });
  await make("POST", `/projects/${id}/members`, { user_id: ada.id, access_level: 40 });
  const files = Array.from({ length: 100 }, (_, file) => ({ action: "create", file_path: `src/crank${file}.rs`, content: program(file, 60) }));
  await commit(id, "master", "Begin", [...files, { action: "create", file_path: "long.rs", content: program(0, 500) }]);
  for (let number = 1; number <= 25; number += 1) await make("POST", `/projects/${id}/issues`, { title: `The crank sticks ${number}` });
  for (let number = 0; number < 50; number += 1) await make("POST", `/projects/${id}/issues/1/notes`, { body: NOTE });
  await offer(id, "slowly", 50, 20);
  await offer(id, "everywhere", 100, 50);
  return { user, path: `/${path}` };
};

const PAGES = [
  ["issues", "/issues"], ["issue with 50 notes", "/issues/1"], ["project", ""], ["file of 500 lines", "/blob/master/long.rs"],
  ["changes, 50 files, 2,000 lines", "/merge_requests/1/diffs"], ["changes, 100 files, 10,000 lines", "/merge_requests/2/diffs"],
];

// The browser's own figures of the page that it has loaded.
const noted = (page) => page.evaluate(async () => {
  const first = await new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const paint = list.getEntriesByName("first-contentful-paint")[0];
      if (paint) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true });
  });
  let shift = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const [navigation] = performance.getEntriesByType("navigation");
  const loaded = [navigation, ...performance.getEntriesByType("resource")].filter((entry) => entry.transferSize > 0);
  return {
    first, shift, load: navigation.loadEventEnd, requests: loaded.length,
    bytes: loaded.reduce((sum, entry) => sum + entry.transferSize, 0), elements: document.querySelectorAll("*").length,
  };
});

// Milliseconds from each of some keys in the first form for a comment until the frame that shows it.
const keys = async (page, path) => {
  if (path.endsWith("/diffs")) await page.goto(url + await page.locator("a[href*='comment=']").first().getAttribute("href"));
  const form = page.locator("textarea[name='note[note]']").first();
  if (await form.count() === 0) return [];
  await form.focus();
  await page.evaluate(() => {
    window.waits = [];
    addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.waits.push(performance.now() - timeStamp);
      port2.postMessage(null);
    }), true);
  });
  for (let number = 0; number < KEYS; number += 1) await page.keyboard.press("x");
  await page.waitForFunction((most) => window.waits.length >= most, KEYS);
  return page.evaluate(() => window.waits);
};

const middle = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
const shown = (number, digits = 0) => (number === undefined ? "–" : number.toFixed(digits));

await ready();
const browser = await launch();
try {
  const { user, path } = await world();
  const { page, hand, end } = await person(browser, "script", [], LOOK);
  await signInFirst({ page, hand }, user);
  const devtools = await page.context().newCDPSession(page);
  console.log("| page | requests, bytes: nothing kept | requests, bytes: again | first paint, ms | loaded, ms | elements | shift | key to paint, ms |");
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|");
  for (const [name, below] of PAGES) {
    const rounds = { cold: [], warm: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      await devtools.send("Network.clearBrowserCache");
      for (const kind of ["cold", "warm"]) {
        await page.goto(url + path + below);
        rounds[kind].push(await noted(page));
      }
    }
    const of = (kind, figure) => middle(rounds[kind].map((round) => round[figure]));
    const cells = [
      name, `${of("cold", "requests")}, ${of("cold", "bytes")}`, `${of("warm", "requests")}, ${of("warm", "bytes")}`, shown(of("warm", "first")), shown(of("warm", "load")),
      of("warm", "elements"), shown(Math.max(...rounds.cold.map(({ shift }) => shift)), 4), shown(middle(await keys(page, below)), 1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  await end();
} finally {
  await browser.close();
}
