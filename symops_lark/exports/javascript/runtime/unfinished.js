// Error sections that say of an action that it is not whole: the action's `completeness` tells it.
const BADNESS = ["truncated", "unterminated", "suspect", "complete"];
const worse = (one, other) => (BADNESS.indexOf(one) <= BADNESS.indexOf(other) ? one : other);
const stateOf = (section) => {
  if (section.kind !== "error" || section.type.length > 12) return undefined;
  const word = section.type.toLowerCase().replaceAll("ſ", "s");
  return word !== "complete" && BADNESS.includes(word) ? word : undefined;
};

export const readMarks = (sections) => {
  if (!sections.some(stateOf)) return sections;
  const paths = new Map();
  sections.forEach((section, place) => {
    if (section.kind === "action")
      (paths.get(section.path) ?? paths.set(section.path, []).get(section.path)).push(place);
  });
  const told = new Map(),
    named = new Map();
  let last = null,
    behind = null; // the last action, and its path as long as sections stand right behind it
  sections.forEach((section, place) => {
    const state = stateOf(section);
    if (section.kind === "action") {
      last = place;
      behind = section.path;
    } else if (state === undefined) {
      if (section.kind !== "error" && section.kind !== "skipped") behind = null;
    } else {
      const target = paths.has(section.target) ? section.target : null;
      if (target !== null && target !== behind)
        named.set(target, worse(named.get(target) ?? state, state));
      else if (last !== null) told.set(last, worse(told.get(last) ?? state, state));
    }
  });
  for (const [target, state] of named)
    for (const place of paths.get(target)) told.set(place, worse(told.get(place) ?? state, state));
  for (const [place, state] of told)
    sections[place].completeness = worse(sections[place].completeness, state);
  return sections;
};
