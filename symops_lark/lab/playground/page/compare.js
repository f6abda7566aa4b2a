// Two readings of one text, compared field by field. Offsets and columns count UTF-16 units in JavaScript and
// characters in Python, so the browser's are counted anew.

const isSpan = (value) => value !== null && typeof value === "object" && Number.isInteger(value.start) && Number.isInteger(value.end) && Number.isInteger(value.column) && Number.isInteger(value.line);

// The number of characters before each unit of a text; null where a unit is a character.
function counts(text) {
  const table = new Uint32Array(text.length + 1);
  let characters = 0;
  for (let unit = 0; unit < text.length; characters++) {
    const width = text.codePointAt(unit) > 0xffff ? 2 : 1;
    for (let at = unit; at < unit + width; at++) table[at] = characters;
    unit += width;
  }
  table[text.length] = characters;
  return characters === text.length ? null : table;
}

function recount(value, table) {
  if (table === null || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((each) => recount(each, table));
  if (isSpan(value)) {
    const begin = table[value.start - (value.column - 1)];
    return { start: table[value.start], end: table[value.end], line: value.line, column: table[value.start] - begin + 1 };
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, recount(each, table)]));
}

// A reading with all places counted in characters: of the text, or of the repaired text for what a repair left there.
export function inCharacters(reading, text) {
  const { repair, process } = reading, step = process.trace?.find(({ phase }) => phase === "repaired");
  const before = counts(text), after = counts(repair.text), within = counts(step?.text ?? repair.text);
  if (before === null && after === null && within === null) return reading;
  const repairs = (all, table) => all?.map((each) => ({ ...recount(each, before), after: recount(each.after, table) }));
  const made = { ...recount(reading, before), repair: { ...repair, repairs: repairs(repair.repairs, after) } };
  if (process.repairs) made.process.repairs = repairs(process.repairs, within);
  return made;
}

// Where two JSON values differ: path, and what each has there; at most `most` of them.
export function differences(browser, server, most = 50, path = "", found = []) {
  if (found.length >= most) return found;
  const both = [browser, server];
  if (both.every((value) => value !== null && typeof value === "object") && Array.isArray(browser) === Array.isArray(server)) {
    for (const name of new Set([...Object.keys(browser), ...Object.keys(server)])) {
      differences(browser[name], server[name], most, path ? `${path}.${name}` : name, found);
    }
  } else if (browser !== server) {
    found.push({ path, browser, server });
  }
  return found;
}
