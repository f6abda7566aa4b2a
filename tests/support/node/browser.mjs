// A browser that is driven over pipes: one command a line as JSON, one answer each. `node browser.mjs PACKAGES CHROMIUM`.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";

const [packages, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(path.join(packages, "index.js"))("playwright-core");
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const PATIENCE = 30_000;
const profile = mkdtempSync(path.join(tmpdir(), "symops-browser-"));
const context = await chromium.launchPersistentContext(profile, { executablePath, args: ARGUMENTS, headless: true, chromiumSandbox: false });
context.setDefaultTimeout(PATIENCE);
const page = context.pages()[0] ?? (await context.newPage());
const said = [], requests = [];
context.on("request", (request) => requests.push(request.url()));
context.on("weberror", (error) => said.push(String(error.error())));
page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
page.on("pageerror", (error) => said.push(String(error)));

const run = ({ code, given }) => page.evaluate(`(${code})(${JSON.stringify(given ?? null)})`);
const COMMANDS = {
  open: ({ address }) => page.goto(address).then(() => null),
  size: ({ width, height, dark }) => Promise.all([page.setViewportSize({ width, height }), page.emulateMedia({ colorScheme: dark ? "dark" : "light" })]).then(() => null),
  run,
  wait: async (told) => { // Playwright's own waiting needs `eval`, which a strict page forbids
    for (const end = Date.now() + PATIENCE; ; ) {
      const found = await run(told);
      if (found) return found;
      if (Date.now() > end) throw new Error(`it never came to ${told.code}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  },
  fill: ({ at, text }) => page.locator(at).fill(text).then(() => null),
  type: ({ at, text }) => page.locator(at).pressSequentially(text).then(() => null),
  click: ({ at }) => page.locator(at).click().then(() => null),
  choose: ({ at, value }) => page.locator(at).selectOption(value).then(() => null),
  press: ({ key }) => page.keyboard.press(key).then(() => null),
  text: ({ at }) => page.locator(at).innerText(),
  picture: ({ file, whole }) => page.screenshot({ path: file, fullPage: whole }).then(() => null),
  change: async ({ part, from, to }) => { // what a server says is changed on its way
    await page.route(part, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(from, to) });
    });
    return null;
  },
  unchange: ({ part }) => page.unroute(part).then(() => null),
  said: async () => said.splice(0),
  requests: async () => [...requests],
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { command, ...told } = JSON.parse(line);
  let answer;
  try {
    answer = { answer: (await COMMANDS[command](told)) ?? null };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  console.log(JSON.stringify(answer));
}
await context.close();
rmSync(profile, { recursive: true, force: true });
