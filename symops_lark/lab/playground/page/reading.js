// Everything that the page shows of a text, by an exported parser: `reading.py` says the same with the package.

export function read(parser, text, step) {
  return {
    parse: strictly(parser, text),
    repair: parser.repair(text),
    recover: parser.recover(text),
    process: process(parser, text),
    stream: stream(parser, text, step),
  };
}

function strictly(parser, text) {
  try {
    return { document: parser.parse(text) };
  } catch (error) {
    if (!(error instanceof parser.ParseError)) throw error;
    return { diagnostics: error.diagnostics };
  }
}

function process(parser, text) {
  try {
    return parser.process(text);
  } catch (error) {
    if (!(error instanceof parser.ProtocolError)) throw error;
    return { error: error.message, document: error.document, diagnostics: error.diagnostics, trace: error.trace };
  }
}

// `arrived` counts the events that there were before the end of the text was known.
function stream(parser, text, step) {
  const reader = new parser.StreamParser(), events = [], signs = Array.from(text);
  for (let start = 0; start < signs.length; start += step) {
    reader.receive(signs.slice(start, start + step).join(""));
    events.push(...reader.events());
  }
  const arrived = events.length, { differences } = reader.close();
  events.push(...reader.events());
  return { events, arrived, differences };
}
