// Lines that differ, on each page that shows them: their signs, for eyes and for screen readers; tabs as wide as on the
// page of a file; both sides of two columns equally wide.

import assert from "node:assert/strict";

import { make, person, signIn, url } from "./browser.mjs";

const BEFORE = "int main(void)\n{\n\tint a = 1;\n\tint b = 2;\n  \tif (b)\n\t\treturn a;\n}\n";
const AFTER = BEFORE.replace("int a = 1", "int a = 3").replace("\treturn a;\n", "\treturn a;\n\tputs(\"none\");\n");
const PATCH = `--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n context\n-removed\n+added\n`;
const SIGNS = { added: '"+" / "added"', removed: '"−" / "removed"', context: '" "' };

const commit = (id, branch, title, content, start) => make("POST", `/projects/${id}/repository/commits`, {
  branch, commit_message: title, actions: [{ action: "update", file_path: "a.c", content }], ...(start && { start_branch: start }),
});

// A merge request with a discussion on a line that has changed since, so that the line is quoted.
const offered = async ({ id }) => {
  await make("POST", `/projects/${id}/repository/commits`, {
    branch: "master", commit_message: "Tabs",
    actions: [{ action: "create", file_path: "a.c", content: BEFORE }, { action: "create", file_path: "a.patch", content: PATCH }],
  });
  const { id: tip } = await commit(id, "tabs", "Change them", AFTER, "master");
  const { iid } = await make("POST", `/projects/${id}/merge_requests`, { source_branch: "tabs", target_branch: "master", title: "Tabs" });
  const { diff_refs: refs } = await make("GET", `/projects/${id}/merge_requests/${iid}`);
  const line = { position_type: "text", old_path: "a.c", new_path: "a.c", new_line: 3 };
  await make("POST", `/projects/${id}/merge_requests/${iid}/discussions`, { body: "Why 3?", position: { ...refs, ...line } });
  await commit(id, "tabs", "Once more", AFTER.replace("int a = 3", "int a = 4"));
  return { tip, iid };
};

// Each line of the page's tables of code: its kind, its sign, its text, and the column of the first letter behind a
// tab.
const linesOf = (page) => page.evaluate(() => {
  const letter = (cell) => {
    const context = document.createElement("canvas").getContext("2d");
    // The shorthand is empty where ligatures are switched off.
    const { fontSize, fontFamily } = getComputedStyle(cell);
    context.font = `${fontSize} ${fontFamily}`;
    return context.measureText("0").width;
  };
  const column = (cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let behind = false;
    while (walker.nextNode()) {
      const text = walker.currentNode;
      for (let at = 0; at < text.data.length; at += 1) {
        if (text.data[at] === "\t") behind = true;
        else if (behind) {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const { left } = cell.getBoundingClientRect();
          const inside = left + Number.parseFloat(getComputedStyle(cell).paddingLeft);
          return (range.getBoundingClientRect().left - inside) / letter(cell);
        }
      }
    }
    return null;
  };
  // The pixels between the sign and the text.
  const roomOf = (cell) => {
    const sign = getComputedStyle(cell, "::before");
    return Number.parseFloat(getComputedStyle(cell).paddingLeft) - Number.parseFloat(sign.left) - Number.parseFloat(sign.width);
  };
  const lines = [];
  for (const table of document.querySelectorAll("table.code")) {
    const cells = table.matches(".parallel") ? "td:nth-child(2), td:nth-child(4)" : "td:last-child";
    for (const row of table.querySelectorAll("tr:not(.hunk, .talk)")) {
      for (const cell of row.querySelectorAll(cells)) {
        if (!cell.checkVisibility()) continue;
        if (table.matches(".parallel") && !cell.previousElementSibling.textContent) continue;
        const of = table.matches(".parallel") ? cell : row;
        lines.push({
          kind: of.matches(".added") ? "added" : of.matches(".removed") ? "removed" : "context",
          sign: getComputedStyle(cell, "::before").content, room: roomOf(cell), column: column(cell), text: cell.textContent, isQuoted: table.matches(".quoted"),
        });
      }
    }
  }
  return lines;
});

const columnsOf = (lines) => new Map(lines.filter(({ column }) => column !== null).map(({ text, column }) => [text, column]));

// The texts that a screen reader reads.
const spoken = async (page) => {
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = await devtools.send("Accessibility.getFullAXTree");
  await devtools.detach();
  return new Set(nodes.filter(({ ignored }) => !ignored).map(({ name }) => name?.value));
};

// The sign does not stand over the text.
const checkRoom = (lines, place) => {
  for (const { room, text } of lines) assert.ok(room >= 2, `${place}: ${room} px between the sign and ${JSON.stringify(text)}`);
};

const checkSigns = async (page, address, ofFile) => {
  await page.goto(address);
  const lines = await linesOf(page);
  for (const kind of ["added", "removed", "context"]) {
    const signs = [...new Set(lines.filter((line) => line.kind === kind).map(({ sign }) => sign))];
    assert.deepEqual(signs, [SIGNS[kind]], `${address}: the signs of ${kind} lines`);
  }
  checkRoom(lines, address);
  let compared = 0;
  for (const [text, column] of columnsOf(lines)) {
    const want = ofFile.get(text.replace(/a = [34]/, "a = 1"));
    if (want === undefined) continue;
    compared += 1;
    assert.ok(Math.abs(column - want) < 0.1, `${address}: ${JSON.stringify(text)} begins at ${column}, and at ${want} on the page of the file`);
  }
  assert.ok(compared >= 4, `${address}: ${compared} lines with tabs`);
  const read = await spoken(page);
  assert.ok(read.has("added") && read.has("removed"), `${address}: a reader hears what was added and what was removed`);
  return lines;
};

// On a phone, both sides of a line are below each other, and lines that do not differ are there once. Each has one number.
const checkPhone = async (page, address) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const view of ["parallel", "inline"]) {
    await page.goto(`${address}?view=${view}`);
    checkRoom(await linesOf(page), `${view} on a phone`);
    const rows = await page.locator("table.code tr:not(.hunk, .talk)").evaluateAll((all) => all.map((row) => {
      const shown = [...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => [cell.textContent, cell.getBoundingClientRect()]);
      const isCode = shown.map((_, at) => at % 2 === 1);
      return {
        texts: shown.filter((_, at) => isCode[at]).map(([text]) => text), numbers: shown.filter((_, at) => !isCode[at]).map(([text]) => text),
        wide: Math.min(...shown.filter((_, at) => isCode[at]).map(([, box]) => box.width)), tops: shown.filter((_, at) => isCode[at]).map(([, box]) => box.top),
      };
    }));
    for (const { texts, numbers, wide, tops } of rows) {
      assert.ok(numbers.every((number) => /^\d+$/.test(number)) && numbers.length === texts.length, `${view}: ${numbers} beside ${JSON.stringify(texts)}`);
      assert.ok(wide >= 300, `${view}: ${JSON.stringify(texts)} is ${wide} wide`);
      if (texts.length > 1) assert.ok(tops[1] > tops[0], `${view}: ${JSON.stringify(texts)} at ${tops}`);
    }
    assert.deepEqual(rows.some(({ texts }) => texts.length > 1), view === "parallel", `${view}: both sides of a line`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

// A button folds a file, and one the tree of files.
const checkFolds = async (page, address) => {
  await page.goto(address);
  const [line, tree] = [page.locator(".diff tr:not(.hunk)").first(), page.locator(".file-tree")];
  for (const [button, folded] of [[page.locator(".diff > details > summary").first(), line], [page.locator(".tree-switch > summary"), tree]]) {
    for (const isThere of [false, true]) {
      await button.click();
      assert.equal(await folded.isVisible(), isThere);
    }
  }
  const [head, button] = await page.evaluate(() => [".diff > .top", ".diff > details > summary"].map((one) => {
    const { top, bottom } = document.querySelector(one).getBoundingClientRect();
    return { top, bottom };
  }));
  assert.ok(button.top >= head.top && button.bottom <= head.bottom, `the button is at ${button.top}, and the head of the file from ${head.top} to ${head.bottom}`);
};

// Both sides are equally wide within 2 %, and a wide screen is used.
const checkColumns = async (page, address) => {
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(address);
    checkRoom(await linesOf(page), `${address} at ${width} px`);
    const [left, right, table] = await page.evaluate(() => {
      const wide = (element) => element.getBoundingClientRect().width;
      const table = document.querySelector("table.parallel");
      const row = table.querySelector("tr:not(.hunk, .talk)");
      return [wide(row.cells[1]), wide(row.cells[3]), wide(table)];
    });
    assert.ok(Math.abs(left - right) <= 0.02 * left, `${width} px: the sides are ${left} and ${right} wide`);
    assert.ok(left + right >= table * 0.85, `${width} px: the sides are ${left} and ${right} of ${table}`);
    // The list of the files stands beside it.
    assert.ok(table + 284 >= width * 0.85, `${width} px: the table is ${table} wide`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

// The box of the form to compare is on one line, and the name of a file keeps away from its frame.
const checkCompare = async (page, address) => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(address);
    const [high, away] = await page.evaluate(() => {
      const frame = document.querySelector(".diff");
      const range = document.createRange();
      range.selectNodeContents(frame.querySelector("h2, h3"));
      return [document.querySelector("form.switch .tick").offsetHeight, range.getBoundingClientRect().left - frame.getBoundingClientRect().left];
    });
    assert.ok(high <= 30, `${width} px: the label of the box is ${high} high`);
    assert.ok(away >= 12, `${width} px: the name of the file is ${away} from its frame`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

// On a phone, the directories of a path are cut off, and the name is whole.
const checkName = async (page, { id, path }) => {
  const file_path = `${"turning-".repeat(8)}wheels/c.rs`;
  await make("POST", `/projects/${id}/repository/commits`, { branch: "deep", start_branch: "master", commit_message: "Deep", actions: [{ action: "create", file_path, content: "new\n" }] });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}${path}/commit/deep`);
  const [folder, name, head] = await page.locator(".diff h3").evaluate((head) => [...head.querySelectorAll("bdi"), head].map((part) => {
    const { right } = part.getBoundingClientRect();
    return { right, isCut: part.scrollWidth > part.clientWidth, text: part.textContent };
  }));
  assert.ok(folder.isCut && name.text === "c.rs" && name.right <= head.right, JSON.stringify([folder, name, head]));
  await page.setViewportSize({ width: 1280, height: 900 });
};

// The tree of changed files shows those whose path has the typed text, and marks the one that is read.
const checkFilter = async (page, { id, path }) => {
  const actions = ["tools/a.md", "tools/b.md", "wheels/c.rs"].map((file_path) => ({ action: "create", file_path, content: "new\n".repeat(60) }));
  await make("POST", `/projects/${id}/repository/commits`, { branch: "three", start_branch: "master", commit_message: "Three files", actions });
  const { iid } = await make("POST", `/projects/${id}/merge_requests`, { source_branch: "three", target_branch: "master", title: "Three files" });
  await page.goto(`${url}${path}/merge_requests/${iid}/diffs`);
  const names = () => page.locator(".file-tree bdi:visible").allTextContents();
  assert.deepEqual(await names(), ["tools", "a.md", "b.md", "wheels", "c.rs"]);
  await page.keyboard.press("f");
  await page.keyboard.type("B.M");
  assert.deepEqual(await names(), ["tools", "b.md"]);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  assert.equal((await names()).length, 5);
  const entry = (name, more = "") => page.locator(`.file-tree a${more}`, { hasText: name });
  await entry("a.md", "[aria-current]").waitFor();
  await page.locator(".diff").last().evaluate((file) => file.scrollIntoView());
  await entry("c.rs", "[aria-current]").waitFor();
  assert.equal(await page.locator(".file-tree [aria-current]").count(), 1);
  await entry("a.md").focus();
  await page.keyboard.press("ArrowDown");
  assert.ok(await entry("b.md").evaluate((link) => link === document.activeElement), "the arrow keys go through the tree");
};

export const diffs = async (browser, world) => {
  const { tip, iid } = await offered(world);
  const someone = await person(browser, "script", [], { viewport: { width: 1280, height: 900 } });
  const { page } = someone;
  const at = (below) => `${url}${world.path}${below}`;
  await signIn(someone, world.user);
  for (const tab of [4, 8, 2]) {
    await page.goto(`${url}/profile/preferences`);
    await page.getByLabel("Tab width").selectOption(String(tab));
    await page.getByRole("button", { name: "Save" }).click();
    await page.goto(at("/blob/master/a.c"));
    const ofFile = columnsOf(await linesOf(page));
    assert.ok(Math.abs(ofFile.get("\tint b = 2;") - tab) < 0.1, `a tab is ${ofFile.get("\tint b = 2;")} wide`);
    const changes = `/merge_requests/${iid}/diffs`;
    for (const below of [`/commit/${tip}`, "/compare/master...tabs", `${changes}?view=inline`, `${changes}?view=parallel`]) {
      const lines = await checkSigns(page, at(below), ofFile);
      const quoted = lines.filter(({ isQuoted }) => isQuoted);
      if (below.startsWith(changes)) assert.ok(quoted.some(({ kind }) => kind === "added"), `${below}: the line of the discussion is quoted`);
    }
  }
  // In a patch that is a file, the signs are in its text.
  await page.goto(at("/blob/master/a.patch"));
  const patch = await linesOf(page);
  assert.deepEqual(patch.slice(-3).map(({ sign, text }) => [sign, text]), [["none", " context"], ["none", "-removed"], ["none", "+added"]]);
  await checkColumns(page, at(`/merge_requests/${iid}/diffs?view=parallel`));
  await checkPhone(page, at(`/merge_requests/${iid}/diffs`));
  await checkFolds(page, at(`/merge_requests/${iid}/diffs`));
  await checkCompare(page, at("/compare/master...tabs"));
  await checkName(page, world);
  await checkFilter(page, world);
  await someone.end();
  console.log("ok: differences");
};
