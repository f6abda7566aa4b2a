// Highlights texts by TextMate grammars, as VS Code does. The argument is the folder of packages.
//
// Each line of the input is a JSON object: `text`, the `grammar` (its text), `endless` (contents in a language that closes
// nothing that it opens, in place of the real ones). Each line of the output is, for each line of the text, the tokens:
// what stands there, and its scopes.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [packages] = process.argv.slice(2);
const require = createRequire(join(packages, "index.js"));
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const wasm = readFileSync(join(packages, "node_modules/vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const onigLib = Promise.resolve({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
});

const folder = join(packages, "node_modules/tm-grammars/grammars");
const files = new Map(); // of the grammars of other languages, by their scopes
for (const name of readdirSync(folder)) {
  files.set(/"scopeName":\s*"([^"]*)"/.exec(readFileSync(join(folder, name), "utf8"))[1], join(folder, name));
}

// A language that opens something and never closes it.
const endless = (scopeName) => ({ scopeName, patterns: [{ name: "endless", begin: ".", end: "(?!)" }], repository: {} });

function loadRaw(ours, scope, wantsEndless) {
  if (scope === ours.scopeName) return ours;
  if (wantsEndless) return endless(scope);
  const path = files.get(scope);
  return path ? parseRawGrammar(readFileSync(path, "utf8"), path) : null;
}

const loaded = new Map();
function load(grammar, wantsEndless) {
  const key = `${wantsEndless} ${grammar}`;
  if (!loaded.has(key)) {
    const ours = JSON.parse(grammar);
    const loadGrammar = async (scope) => loadRaw(ours, scope, wantsEndless);
    loaded.set(key, new Registry({ onigLib, loadGrammar }).loadGrammar(ours.scopeName));
  }
  return loaded.get(key);
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const grammar = await load(request.grammar, request.endless);
  let stack = INITIAL;
  const found = [];
  for (const each of request.text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(each, stack);
    found.push(tokens.map((token) => [each.slice(token.startIndex, token.endIndex), token.scopes.join(" ")]));
    stack = ruleStack;
  }
  process.stdout.write(JSON.stringify(found) + "\n");
}
