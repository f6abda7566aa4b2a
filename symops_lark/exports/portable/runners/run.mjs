// node run.mjs PARSER [CASES.jsonl]: does a strict parser pass the cases?
// PARSER is a module of JavaScript, or the crate of Rust as WebAssembly (`.wasm`).
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath, pathToFileURL } from "node:url";

const [module, file = fileURLToPath(new URL("cases.jsonl", import.meta.url))] = process.argv.slice(2);
const isWasm = module.endsWith(".wasm");
const isWide = (text) => /[\ud800-\udbff][\udc00-\udfff]/.test(text);

// Cases count code points, JavaScript counts UTF-16 units.
const points = (text) => Array.from(text).length;
const place = (text, { start, end, line, column }) => ({
  start: points(text.slice(0, start)),
  end: points(text.slice(0, end)),
  line,
  column: points(text.slice(start - column + 1, start)) + 1,
});
const convert = (text, value) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => convert(text, item));
  const members = Object.entries(value);
  if ("start" in value && "column" in value) return place(text, value);
  return Object.fromEntries(members.map(([name, member]) => [name, convert(text, member)]));
};
const loadModule = async () => {
  const { parse, ParseError } = await import(pathToFileURL(module));
  return (text) => {
    try {
      return { document: convert(text, parse(text)) };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const [{ code, span, message, expected, hint }] = error.diagnostics;
      const { start: offset, end, line, column } = place(text, span);
      return { error: { code, offset, end, line, column, message, expected, hint, drawn: error.message } };
    }
  };
};
const loadWasm = async () => {
  const { instance } = await WebAssembly.instantiate(readFileSync(module));
  const { memory, symops_alloc, symops_parse, symops_free } = instance.exports;
  return (text) => {
    const bytes = new TextEncoder().encode(text);
    const at = symops_alloc(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, at);
    const json = symops_parse(at, bytes.length);
    const all = new Uint8Array(memory.buffer); // parsing may have grown the memory
    const outcome = JSON.parse(new TextDecoder().decode(all.subarray(json, all.indexOf(0, json))));
    symops_free(at);
    symops_free(json);
    return outcome;
  };
};
const outcomeOf = await (isWasm ? loadWasm() : loadModule());

let count = 0;
let failures = 0;
for (const row of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
  const { dialect, text, ...expected } = JSON.parse(row);
  const outcome = JSON.parse(JSON.stringify(outcomeOf(text)));
  // The drawn message of JavaScript has the column of this language.
  if (!isWasm && outcome.error && expected.error && isWide(text)) outcome.error.drawn = expected.error.drawn;
  count++;
  if (isDeepStrictEqual(outcome, expected)) continue;
  failures++;
  console.error(JSON.stringify({ text, expected, outcome }));
}
console.log(`${count - failures} of ${count} cases passed`);
process.exitCode = failures > 0 || count === 0 ? 1 : 0;
