// Reads texts beside the page, so that long ones do not hold it up.
import { read } from "./reading.js";

let known = { module: "", parser: null };

addEventListener("message", async ({ data: { number, module, text, step } }) => {
  try {
    if (known.module !== module) known = { module, parser: await import(`./${module}`) };
    postMessage({ number, reading: read(known.parser, text, step) });
  } catch (error) {
    postMessage({ number, failed: String(error.message ?? error) });
  }
});
