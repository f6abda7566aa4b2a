// Elements made of values; texts are always texts, never markup.

export function make(kind, properties = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const find = (id) => document.getElementById(id);

// A sentence in which names stand in backticks.
export const sentence = (text) => text.split(/(?<!`)`([^`]+)`(?!`)/).map((part, at) => (at % 2 ? make("code", {}, part) : part));

export const plural = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

// Keeps the old children of an element where nothing changed, so that screen readers are not told twice.
export function say(element, ...children) {
  const made = make("div", {}, ...children);
  if (made.innerHTML !== element.innerHTML || made.querySelector("button")) element.replaceChildren(...made.childNodes);
}
