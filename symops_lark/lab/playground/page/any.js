// A text of any grammar: the server repairs it; the tree, the repairs and the alternatives are drawn here.
import { find, make, plural, sentence } from "./elements.js";
import { ask, Latest } from "./server.js";

const field = (name) => find(`any-${name}`);
const ROW = 22, STEP = 18; // pixels: the height of a node of a drawing, and how far its children are moved
const LONGEST = 60; // characters of a token in a drawing
let languages = null;

// Called whenever the tab is chosen: the examples are asked for once.
export async function openAny() {
  if (languages) return;
  languages = [];
  try {
    ({ languages } = await ask("languages"));
  } catch (error) {
    languages = null;
    return void (field("verdict").textContent = error.message);
  }
  field("language").replaceChildren(...languages.map(({ name }) => make("option", { value: name }, name)));
  field("language").addEventListener("change", begin);
  for (const name of ["grammar", "mistakes", "text"]) field(name).addEventListener("input", () => repairer.soon(500));
  begin();
}

function begin() {
  const language = languages.find(({ name }) => name === field("language").value);
  for (const name of ["grammar", "mistakes", "text"]) field(name).value = language[name];
  repairer.now();
}

const repairer = new Latest(async () => {
  const [grammar, mistakes, text] = ["grammar", "mistakes", "text"].map((name) => field(name).value);
  field("verdict").textContent = "Reading \u2026";
  try {
    const answer = await ask("recover", { grammar, mistakes, text });
    field("verdict").textContent = answer.error ? "The grammar or the text cannot be used." : verdict(answer);
    field("grammar").toggleAttribute("aria-invalid", Boolean(answer.error));
    field("answer").replaceChildren(...(answer.error ? [make("pre", { class: "code", tabindex: 0 }, answer.error.message)] : view(answer, text)));
  } catch (error) {
    field("verdict").textContent = error.message;
  }
});

function verdict({ diagnostics, alternatives, price, complete, why, pretty }) {
  if (diagnostics.length === 0 && complete) return "valid";
  if (pretty === null && why) return `not repaired: ${why}`;
  const others = alternatives.length ? `; ${plural(alternatives.length, "other repair")} at about the same price` : "";
  return `${complete ? "repaired" : `repaired in part (${why})`}, price ${price.toLocaleString("en")}${others}`;
}

function view(answer, text) {
  const { notes, diagnostics, alternatives, text: repaired, pretty, tree } = answer;
  return [
    ...notes.map((note) => make("p", { class: "hint" }, note)),
    ...part("Repairs", diagnostics.length > 0 && make("ul", { class: "findings" }, diagnostics.map((each) => make("li", { class: each.severity }, `line ${each.span.line}: `, sentence(each.message), " ", make("span", { class: "code-name" }, each.code))))),
    ...part("The repaired text", repaired !== text && [make("pre", { class: "code", tabindex: 0 }, repaired), apply(repaired)]),
    ...part("Alternatives", alternatives.length > 0 && make("ul", { class: "findings" }, alternatives.map((each) => make("li", {}, `price ${each.price.toLocaleString("en")}: `, sentence(each.messages.join("; ")), " ", apply(each.text))))),
    ...part("The tree", tree ? drawing(tree) : make("p", { class: "none" }, "There is none, or it is too large for a drawing.")),
    ...part("The tree as Lark prints it", pretty !== null && make("pre", { class: "code", tabindex: 0 }, pretty)),
  ];
}

const part = (title, content) => (content ? [make("h3", {}, title), content].flat() : []);

const apply = (text) => make("button", { type: "button", onclick: () => { field("text").value = text; repairer.now(); } }, "Apply");

// Each node has a row, moved to the right by its depth, and a line to its parent.
function drawing(tree) {
  const rows = [];
  const place = (node, depth, parent) => {
    const row = rows.push({ node, depth, parent }) - 1;
    for (const child of node.children ?? []) place(child, depth + 1, row);
  };
  place(tree, 0, null);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const draw = (kind, properties, text = "") => {
    const element = document.createElementNS(svg.namespaceURI, kind);
    for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
    element.textContent = text;
    svg.append(element);
  };
  let widest = 0;
  rows.forEach(({ node, depth, parent }, row) => {
    const x = depth * STEP + 8, y = row * ROW + ROW / 2;
    if (parent !== null) draw("path", { d: `M${x - STEP} ${parent * ROW + ROW / 2 + 6}V${y}H${x - 4}` });
    const label = node.children || node.value === null ? node.name : `${node.name} ${short(node.value)}`;
    draw("text", { x, y: y + 4, class: node.children ? "rule" : "token" }, label);
    widest = Math.max(widest, x + label.length * 8.5);
  });
  svg.setAttribute("width", widest);
  svg.setAttribute("height", rows.length * ROW);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `The tree, ${plural(rows.length, "node")}; as text below`);
  return make("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": "The drawing of the tree" }, svg);
}

function short(value) {
  const characters = Array.from(value);
  return JSON.stringify(characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}\u2026` : value);
}
