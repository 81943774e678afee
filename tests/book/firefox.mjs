// Asks the Python of a built page in Firefox: node firefox.mjs FIREFOX PUPPETEER ADDRESS FUNCTION
// Writes, as JSON, a line with the status of the first exercise after a click on Check; then for each line that it reads,
// a question, what FUNCTION makes of it in the page; when nothing more comes, the errors that the page has raised.
import { createInterface } from "node:readline";

const [executablePath, puppeteer, address, ask] = process.argv.slice(2);
const { default: driver } = await import(puppeteer);
const nowhere = {
  "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
};
const browser = await driver.launch({
  browser: "firefox", headless: true, executablePath, protocol: "webDriverBiDi",
  extraPrefsFirefox: { "network.proxy.type": 1, ...nowhere }, // every request that is not a file fails
});
const write = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const page = await browser.newPage();
const errors = [];
// A page may be laid out when half of a formula has come, of which Firefox says this. test_formulas.py counts the parts.
const unfinished = /^Invalid markup: Incorrect number of children for <\w+\/> tag\.$/;
page.on("pageerror", (error) => unfinished.test(error.message) || errors.push(error.message));
await page.goto(address);
await page.evaluate(() => document.querySelector("[data-exercise] .classroom-run").click());
const status = () => document.querySelector(".classroom-cell[data-exercise]").dataset.status;
write(await (await page.waitForFunction(status, { timeout: 60000 })).jsonValue());
for await (const line of createInterface({ input: process.stdin })) write(await page.evaluate(`(${ask})(${line})`));
await browser.close();
write(errors);
