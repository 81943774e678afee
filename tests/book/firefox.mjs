// Asks the Python of a built page in Firefox: node firefox.mjs FIREFOX PUPPETEER ADDRESS questions.json > answers.json
import { readFileSync } from "node:fs";

const [executablePath, puppeteer, address, questions] = process.argv.slice(2);
const { default: driver } = await import(puppeteer);
const nowhere = {
  "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
};
const browser = await driver.launch({
  browser: "firefox", headless: true, executablePath, protocol: "webDriverBiDi",
  extraPrefsFirefox: { "network.proxy.type": 1, ...nowhere }, // every request that is not a file fails
});
const page = await browser.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
await page.goto(address);
await page.evaluate(() => document.querySelector("[data-exercise] .classroom-run").click());
await page.waitForFunction(() => document.querySelector(".classroom-cell[data-exercise]").dataset.status, { timeout: 60000 });
const clicked = await page.evaluate(() => document.querySelector(".classroom-cell[data-exercise]").dataset.status);
const answers = [];
for (const question of JSON.parse(readFileSync(questions, "utf-8"))) {
  answers.push(await page.evaluate(
    (asked) => attnbookPython.run(asked, () => {}, () => {}).catch((error) => ({ stopped: error.message })), question));
}
await browser.close();
process.stdout.write(JSON.stringify({ clicked, answers, errors }));
