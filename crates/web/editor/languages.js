// The language of a file, by its name or its first line.
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { xml } from "@codemirror/lang-xml";
import { yaml } from "@codemirror/lang-yaml";
import { StreamLanguage } from "@codemirror/language";
import { c, clike, cpp, csharp, dart, java, kotlin, objectiveC, scala } from "@codemirror/legacy-modes/mode/clike";
import { diff } from "@codemirror/legacy-modes/mode/diff";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { go } from "@codemirror/legacy-modes/mode/go";
import { groovy } from "@codemirror/legacy-modes/mode/groovy";
import { haskell } from "@codemirror/legacy-modes/mode/haskell";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { nginx } from "@codemirror/legacy-modes/mode/nginx";
import { perl } from "@codemirror/legacy-modes/mode/perl";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { python } from "@codemirror/legacy-modes/mode/python";
import { r } from "@codemirror/legacy-modes/mode/r";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { swift } from "@codemirror/legacy-modes/mode/swift";
import { toml } from "@codemirror/legacy-modes/mode/toml";

const words = (text) => Object.fromEntries(text.split(" ").map((word) => [word, true]));
// The grammar of PHP is as large as all others together. This one knows its words, texts, comments and variables.
const php = clike({
  name: "php",
  keywords: words("abstract and as break case catch class clone const continue declare default do echo else elseif enddeclare endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface match namespace new or print private protected public readonly require require_once return static switch throw trait try use var while xor yield"),
  types: words("array bool callable float int iterable mixed never null object string void"),
  blockKeywords: words("catch do else elseif for foreach if switch try while finally"),
  atoms: words("true false null TRUE FALSE NULL self parent"),
  multiLineStrings: true,
  hooks: {
    $: (text) => (text.eatWhile(/[\w$]/), "variableName"),
    "#": (text) => (text.skipToEnd(), "comment"),
    "<": (text) => (text.match(/^\?(?:php|=)?/) ? "meta" : false),
  },
});
const stream = (mode) => () => StreamLanguage.define(mode);
const BY_ENDING = [
  ["c h", stream(c)],
  ["cc cpp cxx hh hpp hxx ino", stream(cpp)],
  ["m mm", stream(objectiveC)],
  ["css scss less", css],
  ["go", stream(go)],
  ["html htm xhtml vue svelte erb hbs ejs", html],
  ["java", stream(java)],
  ["js mjs cjs jsx", () => javascript({ jsx: true })],
  ["ts mts cts", () => javascript({ typescript: true })],
  ["tsx", () => javascript({ jsx: true, typescript: true })],
  ["json json5 jsonc webmanifest map ipynb geojson", json],
  ["md markdown mdown mkd", markdown],
  ["php phtml", stream(php)],
  ["py pyi pyw bzl", stream(python)],
  ["rs", stream(rust)],
  ["sql", stream(standardSQL)],
  ["xml svg xsd xsl xslt plist csproj props targets xaml rss atom", xml],
  ["yml yaml", yaml],
  ["cs", stream(csharp)],
  ["dart", stream(dart)],
  ["kt kts", stream(kotlin)],
  ["scala sbt", stream(scala)],
  ["diff patch", stream(diff)],
  ["dockerfile", stream(dockerFile)],
  ["groovy gradle", stream(groovy)],
  ["hs", stream(haskell)],
  ["lua", stream(lua)],
  ["pl pm", stream(perl)],
  ["ps1 psm1 psd1", stream(powerShell)],
  ["ini cfg conf properties editorconfig gitconfig env", stream(properties)],
  ["r", stream(r)],
  ["rb rake gemspec ru", stream(ruby)],
  ["sh bash zsh ksh", stream(shell)],
  ["swift", stream(swift)],
  ["toml", stream(toml)],
];
const ENDINGS = new Map(BY_ENDING.flatMap(([endings, make]) => endings.split(" ").map((ending) => [ending, make])));
const NAMES = new Map([
  ["dockerfile", "dockerfile"], ["containerfile", "dockerfile"], ["gemfile", "rb"], ["rakefile", "rb"], ["vagrantfile", "rb"],
  ["jenkinsfile", "groovy"], ["cargo.lock", "toml"], ["pipfile", "toml"], ["pkgbuild", "sh"], [".bashrc", "sh"], [".profile", "sh"], [".zshrc", "sh"],
]);
const PROGRAMS = [[/\b(?:ba|z|k|da)?sh\b/, "sh"], [/\bpython/, "py"], [/\bnode\b/, "js"], [/\bruby\b/, "rb"], [/\bperl\b/, "pl"]];

export const languageOf = (path, text) => {
  const name = path.split("/").pop().toLowerCase();
  if (/(^|\/)nginx[^/]*\.conf$|nginx\/.*\.conf$/i.test(path)) return StreamLanguage.define(nginx);
  const first = text.startsWith("#!") ? text.slice(0, 200).split("\n")[0] : "";
  const ending = NAMES.get(name) ?? (name.includes(".") ? name.split(".").pop() : PROGRAMS.find(([program]) => program.test(first))?.[1]);
  return ENDINGS.get(ending)?.() ?? [];
};
