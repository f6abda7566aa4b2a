// The page: what was chosen, what is read, and what both readers say.
import { openAny } from "./any.js";
import { inCharacters, differences } from "./compare.js";
import { Editor, marksOf } from "./editor.js";
import { find, make, plural, say } from "./elements.js";
import { ask, Latest, ServerError } from "./server.js";
import { makeTabs } from "./tabs.js";
import { VIEWS, verdict } from "./views.js";

const MOST_STEPS = 4_000; // in which a reply is streamed: one character each, if there are no more
const MOST_COMPARED = 300_000; // characters; the server takes no more than a megabyte
const EDITED = "own";

const state = {
  dialect: "", grammar: null, installed: "", // what is asked for; `grammar` is null for the one that is installed
  opened: null, used: null, // what is in use: the last that was asked for and has no mistakes
  sample: null, base: null, kinds: new Set(), made: {}, seed: 0, // the text is made of a sample or of a text, damaged
  number: 0, shown: null, tab: "result", playing: 0,
};
const worker = new Worker("worker.js", { type: "module" });
const editor = new Editor(find("text"), find("backdrop"), find("editor"), typed);

// ---- reading

const length = () => find("arrived").max * 1;
const arrived = () => find("arrived").value * 1;
const whole = () => arrived() === length();
const prefix = () => (whole() ? editor.text : Array.from(editor.text).slice(0, arrived()).join(""));

const reader = new Latest(async () => {
  if (!state.opened) return;
  const text = prefix(), step = Math.max(1, Math.ceil(Array.from(text).length / MOST_STEPS));
  const asked = { number: ++state.number, module: state.opened.module, text, step }, used = state.used;
  const { reading, failed } = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => data.number === asked.number && resolve(data);
    worker.postMessage(asked);
  });
  if (failed) return tellDisagreement("the page's parser failed", failed);
  state.shown = { ...asked, ...used, reading, whole: whole(), command: inCharacters(reading, text) };
  editor.paint(marksOf(reading), whole() ? Infinity : text.length);
  draw();
  checker.soon(250, state.shown);
});

const checker = new Latest(async (shown) => {
  const { text, step, dialect, grammar, command } = shown;
  if (text.length > MOST_COMPARED) return say(find("agreement"), make("span", { class: "agrees unknown" }, "too long to compare"));
  try {
    const answer = await ask("read", { dialect, grammar, text, step });
    if (state.shown !== shown) return;
    const found = answer.error ? [{ path: "grammar", browser: "compiled", server: answer.error.message }] : differences(command, answer);
    if (found.length === 0) {
      say(find("banner"));
      say(find("agreement"), make("span", { class: "agrees" }, "Python and JavaScript agree"));
    } else {
      const rows = found.slice(0, 5).map(({ path, browser, server }) => {
        const from = typeof browser === "string" && typeof server === "string" ? apart(browser, server) : 0;
        return `${path}: ${short(browser, from)} here, ${short(server, from)} there`;
      });
      tellDisagreement(`Python on the server reads this text otherwise, in ${found.length === 50 ? "50 places or more" : plural(found.length, "place")}`, ...rows);
    }
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    say(find("agreement"), make("span", { class: "agrees unknown" }, error.message));
  }
});

// Where two texts begin to differ, and a little before it.
function apart(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at > 30 ? at - 15 : 0;
}

function short(value, from) {
  const text = value === undefined ? "nothing" : JSON.stringify(from > 0 ? `…${value.slice(from)}` : value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function tellDisagreement(title, ...rows) {
  say(find("agreement"), make("span", { class: "agrees not" }, "Python and JavaScript disagree"));
  say(find("banner"), make("p", {}, make("strong", {}, `${title}. `), "This is a bug, please report it with the text."), make("ul", {}, rows.map((row) => make("li", {}, make("code", {}, row)))));
}

function draw() {
  const { shown, tab } = state;
  if (!shown) return;
  say(find("verdict"), ...verdict(shown.reading));
  const open = [...find(`panel-${tab}`).querySelectorAll("details")].map((each) => each.open);
  find(`panel-${tab}`).replaceChildren(...VIEWS[tab][1](shown.reading, show, shown).flat(Infinity).filter(Boolean));
  find(`panel-${tab}`).querySelectorAll("details").forEach((each, at) => (each.open = open[at] ?? false));
}

function show({ start, end }) {
  inputTabs("reply");
  editor.select(start, end);
}

// ---- the text, and how much of it has arrived

function typed() {
  Object.assign(state, { base: null, sample: EDITED, made: {} });
  state.kinds.clear();
  find("sample").value = EDITED;
  drawChips();
  arrive(Infinity);
}

function setText(text) {
  editor.text = text;
  arrive(Infinity);
}

// `characters` of the text have arrived, or all of them.
function arrive(characters) {
  const slider = find("arrived");
  slider.max = Array.from(editor.text).length;
  slider.value = Math.min(characters, length());
  moved();
}

function moved() {
  find("arrived-count").textContent = `${arrived().toLocaleString("en")} / ${length().toLocaleString("en")}`;
  find("arrived").setAttribute("aria-valuetext", `${arrived()} of ${length()} characters`);
  reader.soon(whole() && !state.playing ? 120 : 0);
}

function play() {
  if (state.playing) return stop();
  const from = whole() ? 0 : arrived(), began = performance.now(), speed = Math.max(0.06, (length() - from) / 12_000); // per millisecond
  find("play-word").textContent = "Stop";
  readingTabs("events");
  const tick = (now) => {
    const there = Math.min(length(), from + Math.floor((now - began) * speed));
    if (there !== arrived() || there === length()) arrive(there);
    if (whole()) stop();
    else state.playing = requestAnimationFrame(tick);
  };
  state.playing = requestAnimationFrame(tick);
}

function stop() {
  cancelAnimationFrame(state.playing);
  state.playing = 0;
  find("play-word").textContent = "Stream";
}

// ---- damage

const writer = new Latest(async () => {
  const asked = { ...state.used, kinds: [...state.kinds], seed: state.seed };
  const source = state.sample === EDITED ? { text: state.base ?? editor.text } : { sample: state.sample };
  const status = find("damage-status");
  try {
    const answer = await ask("write", { ...asked, ...source });
    if (answer.error) return void (status.textContent = answer.error.message);
    if (state.sample === EDITED) state.base = source.text;
    state.made = answer.made;
    setText(answer.text);
    drawChips();
    const left = asked.kinds.filter((kind) => !(kind in answer.made));
    status.textContent = left.length ? `There is no place for: ${left.join(", ")}.` : "";
  } catch (error) {
    status.textContent = error.message;
  }
});

function drawChips() {
  for (const chip of find("chips").children) chip.setAttribute("aria-pressed", String(state.kinds.has(chip.dataset.kind)));
  find("damage-count").textContent = state.kinds.size ? plural(state.kinds.size, "mistake") : "";
}

function makeChips(kinds) {
  const note = find("damage-note"), usual = note.dataset.usual ??= note.textContent;
  find("chips").replaceChildren(...kinds.map(({ name, summary }) => {
    const tell = () => (note.textContent = summary), untell = () => (note.textContent = usual);
    const chip = make("button", { type: "button", class: "chip", title: summary, "aria-pressed": "false", "data-kind": name, onfocus: tell, onmouseenter: tell, onblur: untell, onmouseleave: untell, onclick: () => {
      state.kinds.delete(name) || state.kinds.add(name);
      stop();
      drawChips();
      writer.now();
    } }, name.replaceAll("-", " "));
    return chip;
  }));
  drawChips();
}

// ---- samples

function makeSamples({ samples }) {
  // A sample that only the dialect before it had: the first of this one takes its place.
  if (state.sample !== EDITED && !samples.some(({ name }) => name === state.sample)) {
    const { name, kinds } = samples[0] ?? { name: EDITED };
    Object.assign(state, { sample: name, kinds: new Set(kinds), made: {} });
  }
  const examples = state.opened.examples.map(({ name, title }) => make("option", { value: `rule:${name}`, title }, name));
  find("sample").replaceChildren(
    ...samples.map(({ name, title }) => make("option", { value: name }, title)),
    make("optgroup", { label: "What repair rules are for" }, examples),
    make("option", { value: EDITED }, "Your own text"),
  );
  find("sample").value = [...find("sample").options].some(({ value }) => value === state.sample) ? state.sample : EDITED;
}

function begin() {
  stop();
  const name = find("sample").value, rule = name.startsWith("rule:");
  const sample = state.opened.samples.find((each) => each.name === name);
  Object.assign(state, { sample: sample ? name : EDITED, base: null, kinds: new Set(sample?.kinds), made: {} });
  drawChips();
  find("damage-status").textContent = "";
  if (sample) return writer.now();
  const text = rule ? state.opened.examples.find((each) => `rule:${each.name}` === name).text : editor.text;
  return setText(text);
}

// ---- dialects

const opener = new Latest(async () => {
  const { dialect, grammar } = state, asked = { dialect, grammar }, status = find("grammar-status"), began = performance.now();
  status.textContent = "Compiling …";
  try {
    const answer = await ask("open", asked);
    if (answer.error) return tellGrammarError(answer.error);
    say(find("grammar-error"));
    find("grammar").removeAttribute("aria-invalid");
    status.textContent = `Compiled in ${((performance.now() - began) / 1000).toFixed(1)} s.`;
    Object.assign(state, { opened: answer, used: asked });
    if (asked.grammar === null) find("grammar").value = state.installed = answer.grammar;
    find("edited").hidden = find("reset").disabled = asked.grammar === null;
    makeMarks(answer.marks);
    makeSamples(answer);
    makeChips(answer.kinds);
    if (state.sample !== EDITED) writer.now();
    else reader.now();
  } catch (error) {
    status.textContent = error.message;
  }
});

function edit(text) {
  state.grammar = text === state.installed ? null : text;
  find("edited").hidden = find("reset").disabled = state.grammar === null;
  opener.soon(700);
}

function tellGrammarError({ message, line, column }) {
  find("grammar-status").textContent = "The last grammar without mistakes is in use.";
  find("grammar").setAttribute("aria-invalid", "true");
  const go = line && make("button", { type: "button", class: "place", onclick: () => goToGrammar(line, column) }, `Line ${line}, column ${column}`);
  const [said, ...drawn] = message.split("\n");
  say(find("grammar-error"), go, make("p", {}, said), drawn.length > 0 && make("pre", { tabindex: 0, role: "region", "aria-label": "The line" }, drawn.join("\n")));
}

function goToGrammar(line, column) {
  const field = find("grammar"), rows = field.value.split("\n");
  const start = rows.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0) + column - 1;
  field.focus();
  field.setSelectionRange(start, start + 1);
  field.scrollTop = (field.scrollHeight / rows.length) * Math.max(0, line - 4);
}

function makeMarks(marks) {
  const own = Object.entries(marks).filter(([name]) => !/\d$|^_COMMA$|^_DOT$/.test(name));
  if (find("marks").contains(document.activeElement)) return;
  find("marks").replaceChildren(...own.map(([name, mark]) => {
    const field = make("input", { id: `mark${name}`, value: mark, maxlength: 20, size: 6, spellcheck: "false", autocapitalize: "off", autocomplete: "off", onchange: () => deriver.now(name, field.value, mark) });
    return make("label", {}, make("span", {}, name.slice(1).toLowerCase().replaceAll("_", " ")), field);
  }));
}

const deriver = new Latest(async (name, mark, before) => {
  if (mark === before) return;
  try {
    const answer = await ask("derive", { ...state.used, marks: { [name]: mark } });
    if (answer.error) return tellGrammarError(answer.error);
    find("grammar").value = state.grammar = answer.grammar;
    opener.now();
  } catch (error) {
    find("grammar-status").textContent = error.message;
  }
});

// ---- everything is tied together

find("readings").append(...Object.entries(VIEWS).map(([name, [title]]) => make("button", { role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, title)));
find("panels").append(...Object.keys(VIEWS).map((name) => make("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: 0 })));
const readingTabs = makeTabs(find("readings"), (tab) => {
  state.tab = tab.id.slice("tab-".length);
  draw();
});
const inputTabs = makeTabs(document.querySelector("[aria-label=Input][role=tablist]"), ({ id }) => {
  document.querySelector("main").classList.toggle("any", id === "tab-any");
  if (id === "tab-any") openAny();
});
readingTabs("result");

find("arrived").addEventListener("input", () => { stop(); moved(); });
find("play").addEventListener("click", play);
find("sample").addEventListener("change", begin);
find("dialect").addEventListener("change", ({ target }) => {
  stop();
  Object.assign(state, { dialect: target.value, grammar: null });
  opener.now();
});
find("again").addEventListener("click", () => { state.seed++; stop(); writer.now(); });
find("heal").addEventListener("click", () => { state.kinds.clear(); stop(); drawChips(); writer.now(); });
find("damage-filter").addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase();
  for (const chip of find("chips").children) chip.hidden = !`${chip.textContent} ${chip.title}`.toLowerCase().includes(words);
});
find("grammar").addEventListener("input", ({ target }) => edit(target.value));
find("reset").addEventListener("click", () => { state.grammar = null; opener.now(); });

try {
  const { version, dialects, chosen: first, seed } = await ask("setup");
  Object.assign(state, { dialect: first, seed, sample: "" });
  find("version").textContent = `symops-lark ${version}.`;
  find("dialect").append(...dialects.map((name) => make("option", { value: name }, name.split("/").at(-1))));
  find("dialect").value = first;
  await opener.now();
} catch (error) {
  say(find("banner"), make("p", {}, error.message));
}
