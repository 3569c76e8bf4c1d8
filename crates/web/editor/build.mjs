// Makes what browsers are sent: `npm ci --ignore-scripts && npm run build`.
// - `../assets/tenon.js`, the script of the pages, of the files in `../assets/script`;
// - `../assets/editor.js`, the editor of files, of its sources and of the packages in `package.json`, whose licences go to
//   `../assets/editor.licence.txt`.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const OUT = new URL("../assets/editor.js", import.meta.url).pathname;
const LICENCES = new URL("../assets/editor.licence.txt", import.meta.url).pathname;
const MOST = 250 * 1024;

// The pages permit no `style` elements. Sheets that a script makes need none, but the package uses those below shadow roots only.
const CONDITION = "if (!root.head && root.adoptedStyleSheets && win.CSSStyleSheet) {";
const sheets = {
  name: "sheets",
  setup({ onLoad }) {
    onLoad({ filter: /style-mod\/src\/style-mod\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (text.split(CONDITION).length !== 2) throw new Error("style-mod has changed");
      return { contents: text.replace(CONDITION, CONDITION.replace("!root.head && ", "")), loader: "js" };
    });
  },
};

// The server has the list of the files, in their order.
const rust = await readFile(new URL("../src/kit/asset.rs", import.meta.url), "utf8");
const files = [...rust.matchAll(/include_str!\("\.\.\/\.\.\/assets\/(script\/\w+\.js)"\)/g)].map(([, file]) => file);
const parts = await Promise.all(files.map((file) => readFile(new URL(`../assets/${file}`, import.meta.url), "utf8")));
const sources = parts.join("");
await build({
  stdin: { contents: sources },
  bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none",
  banner: { js: `// ${createHash("sha256").update(sources).digest("hex")}` },
  outfile: new URL("../assets/tenon.js", import.meta.url).pathname,
});

const { metafile } = await build({
  entryPoints: [new URL("editor.js", import.meta.url).pathname],
  bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none",
  outfile: OUT, metafile: true, plugins: [sheets],
});

const names = Object.keys(metafile.inputs).map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
const texts = new Map();
for (const name of [...new Set(names.filter(Boolean))].sort()) {
  const folder = new URL(`node_modules/${name}/`, import.meta.url);
  const { version, license } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
  if (license !== "MIT") throw new Error(`${name} has the licence ${license}`);
  const text = (await readFile(new URL("LICENSE", folder), "utf8")).trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
}
const licences = [...texts].map(([text, packages]) => `${packages.join("\n")}\n\n${text}\n`);
await writeFile(LICENCES, licences.join(`\n${"-".repeat(72)}\n\n`));

const bytes = await readFile(OUT);
const packed = gzipSync(bytes, { level: 9 }).length;
console.log(`${bytes.length} bytes, ${packed} packed, ${texts.size} licences`);
if (packed > MOST) throw new Error(`the editor has ${packed} bytes packed, more than ${MOST}`);
