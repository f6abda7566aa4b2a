// What stands in each tab. A reading is drawn as it is; `show` leads to a place of the text.
import { make, plural, sentence } from "./elements.js";

const PHASES = { strict: "valid as it stands", repaired: "repaired by rules", recovered: "recovered from what was left" };

const percent = (value) => `${Math.round(value * 1000) / 10} %`;
const none = (text) => make("p", { class: "none" }, text);
const block = (text, label) => make("pre", { class: "code", tabindex: 0, role: "region", "aria-label": label }, text);

export const VIEWS = {
  result: ["Result", result],
  strict: ["Strict", strict],
  repaired: ["Repaired", repaired],
  recovered: ["Recovered", recovered],
  trace: ["Trace", trace],
  events: ["Events", events],
  json: ["JSON", json],
};

export function verdict({ process }) {
  if (process.error) return [make("span", { class: "badge failed" }, "nothing read"), " ", process.error];
  const count = (name) => process.document.sections.filter(({ kind }) => kind === name).length;
  const custom = count("custom") > 0 ? `, ${plural(count("custom"), "custom section")}` : "";
  const told = `${PHASES[process.phase] ?? ""}, ${plural(count("action"), "action")}${custom}, sure to ${percent(process.confidence)}`;
  return [make("span", { class: `badge ${process.phase}` }, process.phase), " ", told];
}

function result(reading, show) {
  const { process } = reading, noted = new Set((process.repairs ?? []).map(({ rule }) => rule));
  return [
    document_(process.document, show),
    findings(process.diagnostics.filter(({ code }) => !noted.has(code)), show),
    repairs(process.repairs ?? [], show),
  ];
}

function strict({ parse }, show) {
  if (parse.document) return [make("p", { class: "good" }, "Every line is as the grammar has it."), document_(parse.document, show)];
  return [make("p", { class: "lead" }, "The strict parser refuses the text:"), findings(parse.diagnostics, show)];
}

function repaired({ parse, repair, process }, show) {
  if (parse.document) return [none("Nothing to repair: the text is valid.")];
  if (!repair.changed) return [none("No rule finds anything to repair.")];
  const step = process.trace.find(({ phase }) => phase === "repaired");
  return [
    step && make("p", { class: step.succeeded ? "good" : "lead" }, step.succeeded ? "With these repairs the text is valid." : `${step.outcome}.`),
    repairs(repair.repairs, show),
    make("h3", {}, "The text behind it"),
    make("pre", { class: "code", tabindex: 0, role: "region", "aria-label": "The repaired text" }, marked(repair)),
  ];
}

// The repaired text, with what the repairs left there marked.
function marked({ text, repairs: made }) {
  const pieces = [];
  let at = 0;
  for (const { start, end } of made.map(({ after }) => after).sort((a, b) => a.start - b.start)) {
    if (start < at || end <= start) continue;
    pieces.push(text.slice(at, start), make("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...pieces, text.slice(at)];
}

function recovered({ recover, parse }, show) {
  const why = parse.document ? "Recovery alone reads a valid text as the parser does." : "What recovery alone makes of the text, at the lowest price.";
  return [make("p", { class: "lead" }, why), document_(recover, show)];
}

function trace({ process }) {
  const steps = process.trace.map((step, at) => make("li", {},
    make("p", {}, make("span", { class: `badge ${step.succeeded ? step.phase : "quiet"}` }, step.phase), " ", step.outcome),
    step.text !== process.trace[at - 1]?.text && make("details", {}, make("summary", {}, "The text behind it"), block(step.text, `The text behind the phase ${step.phase}`)),
  ));
  return [make("ol", { class: "steps" }, steps)];
}

const CONTENT = new Set(["content", "section-content"]);

function events({ stream }, show, { whole }) {
  const told = whole ? stream.events : stream.events.slice(0, stream.arrived), rows = [];
  for (const event of told) {
    const before = rows.at(-1);
    if (CONTENT.has(event.event) && before?.event === event.event && before.index === event.index) {
      Object.assign(before, { text: before.text + event.text, lines: before.lines + 1, span: { ...before.span, end: event.span.end } });
    } else {
      rows.push({ ...event, lines: 1 });
    }
  }
  const items = rows.map((event) => make("li", {}, make("span", { class: `badge event-${event.event}` }, event.event), " ", eventText(event), " ", place(event.span, show)));
  const state = whole ? `The stream has ended: ${plural(told.length, "event")}.` : `${plural(told.length, "event")} so far; more text is awaited.`;
  const differing = whole && stream.differences.length > 0 && `Read as a whole, ${plural(stream.differences.length, "thing")} of what was announced came out otherwise.`;
  return [make("p", { class: "lead" }, state), differing && make("p", { class: "lead" }, differing), make("ol", { class: "events" }, items)];
}

function eventText(event) {
  switch (event.event) {
    case "action-started": return `${event.type} ${event.path}`;
    case "content": case "section-content": return `${plural(event.lines, "line")}, ${plural(event.text.length, "character")}`;
    case "action-finished": case "section-finished": return event.completeness;
    case "section-started": return event.name;
    case "custom": return [event.name, ...event.parts.map(partText)].join(" · ");
    case "diagnostic": return sentence(event.message);
    case "vitals": return values(event);
    default: return event.text ?? [event.type, event.target, event.message].filter(Boolean).join(" · ");
  }
}

function json(reading, show, { command }) {
  const text = JSON.stringify(command.process, null, 2), copied = make("span", { role: "status", class: "hint" });
  const copy = make("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(text);
    copied.textContent = "Copied.";
  } }, "Copy");
  return [make("p", { class: "lead" }, "As ", make("code", {}, "symops process --json"), " prints it; places count characters. ", copy, " ", copied), block(text, "The result as JSON")];
}

// ---- documents

function document_({ sections }, show) {
  if (sections.length === 0) return none("No section.");
  return make("ul", { class: "sections" }, sections.map((section) => make("li", { class: `section ${section.kind}` }, DRAWN[section.kind](section, show))));
}

const head = (name, section, show, ...more) => make("p", { class: "head" }, make("span", { class: "kind" }, name), " ", ...more, " ", place(section.span, show));
const values = ({ values: named }) => Object.entries(named).map(([name, value]) => `${name} ${value}`).join(" · ");

const DRAWN = {
  thought: (section, show) => head("thought", section, show, section.text),
  vitals: (section, show) => head("vitals", section, show, values(section)),
  question: (section, show) => [head("question", section, show, section.text), section.choices.length > 0 && make("ol", { class: "asked" }, section.choices.map((choice) => make("li", {}, choice)))],
  error: (section, show) => head("error", section, show, [section.type, section.target, section.message].filter(Boolean).join(" · ")),
  skipped: (section, show) => head("skipped", section, show, make("span", { class: "skipped-text" }, section.text.trim() || "blank lines")),
  custom: (section, show) => [
    head(section.name.replaceAll("_", " "), section, show, doubts(section)),
    section.parts.map(part),
  ],
  action: (section, show) => [
    head(section.type, section, show,
      section.number !== null && `${section.number}. `,
      make("code", { class: "path" }, section.path),
      doubts(section)),
    section.dependencies.length > 0 && make("p", { class: "needs" }, "needs ", section.dependencies.map((path, at) => [at > 0 && ", ", make("code", {}, path)])),
    Object.entries(section.attributes ?? {}).map(([name, value]) => make("p", { class: "needs" }, `${name}: `, make("code", {}, value))),
    section.content !== null && (section.content === "" ? none("An empty content.") : block(section.content, `The content of ${section.path}`)),
  ],
};

const doubts = ({ completeness, confidence }) => [
  completeness !== "complete" && make("span", { class: "badge failed" }, completeness),
  confidence < 1 && make("span", { class: "sure" }, `sure to ${percent(confidence)}`),
];

const partText = ({ text, parts }) => [text, ...parts.map(partText)].filter(Boolean).join(" ");

// A part of a custom section: a line, a content of several lines, or further parts.
function part({ name, text, parts }) {
  const title = name.replaceAll("_", " ");
  if (parts.length > 0) return make("div", { class: "needs" }, `${title}:`, make("div", { class: "parts" }, parts.map(part)));
  if (text.includes("\n")) return make("div", { class: "needs" }, `${title}:`, block(text, `The part ${title}`));
  return make("p", { class: "needs" }, `${title}: `, make("code", {}, text));
}

function place(span, show) {
  const told = `${span.line}:${span.column}`;
  return make("button", { type: "button", class: "place", "aria-label": `Show line ${span.line}, column ${span.column}`, onclick: () => show(span) }, told);
}

function findings(found, show) {
  if (found.length === 0) return null;
  return [make("h3", {}, "Findings"), make("ul", { class: "findings" }, found.map((each) => make("li", { class: each.severity },
    make("p", {}, make("span", { class: `badge ${each.severity}` }, each.severity), " ", sentence(each.message), " ", place(each.span, show)),
    each.hint && make("p", { class: "hint" }, sentence(each.hint)),
    make("p", { class: "code-name" }, each.code))))];
}

function repairs(made, show) {
  if (made.length === 0) return null;
  return [make("h3", {}, "Repairs"), make("ul", { class: "findings" }, made.map((each) => make("li", { class: "repair" },
    make("p", {}, each.summary, " ", place(each.before, show)),
    make("p", { class: "change" }, sign("before", each.text_before), make("span", { "aria-hidden": "true" }, " → "), make("span", { class: "unseen" }, " becomes "), sign("after", each.text_after)),
    make("p", { class: "code-name" }, `${each.rule}, cost ${each.cost}`))))];
}

function sign(kind, text) {
  const shown = text.length > 120 ? `${text.slice(0, 117)}…` : text;
  return make("code", { class: kind }, shown.replaceAll("\n", "⏎") || "nothing");
}
