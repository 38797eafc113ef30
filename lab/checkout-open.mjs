import { chromium } from 'playwright/test';
import { requireBrowser } from '../scripts/find-browser.mjs';

/**
 * `node lab/checkout-open.mjs [ADDRESS] [RUNS]`: how long a new browser takes from the click in the demo app of a
 * running server to the focused e-mail field, and what it loads for that.
 */

const [address = 'http://localhost:3000', runs = '15'] = process.argv.slice(2);

const { CHROMIUM_PATH, CHROMIUM_SHELL_PATH = CHROMIUM_PATH } = {
  ...process.env,
  ...(await requireBrowser()),
};
const browser = await chromium.launch({
  ...(CHROMIUM_SHELL_PATH ? { executablePath: CHROMIUM_SHELL_PATH } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const opened = [];
for (let run = 0; run < Number(runs); run++) opened.push(await open());
await browser.close();
const times = opened.map(({ ms }) => Math.round(ms)).sort((a, b) => a - b);
console.log(`${opened[0].bytes} bytes`);
console.log(`${times[Math.floor(times.length / 2)]} ms in the median of ${times.join(', ')}`);

/** The time between the event of the click and that of the focus, as the browser's own clock has them. */
async function open() {
  const context = await browser.newContext();
  const times = {};
  await context.exposeFunction('reportTime', (name, at) => (times[name] ??= at));
  await context.addInitScript(watchTimes);
  const page = await context.newPage();
  await page.goto(address.replace('//localhost', '//demo.localhost'), { waitUntil: 'networkidle' });
  const requests = [];
  page.on('requestfinished', (request) => request.frame() !== page.mainFrame() && requests.push(request));
  await page.getByRole('button', { name: 'Buy credits' }).click();
  while (times.ready === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  const ms = times.ready - times.click;
  await page.waitForLoadState('networkidle');
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  await context.close();
  return { ms, bytes: sizes.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0) };
}

/** Runs in every document. */
function watchTimes() {
  const report = (name, event) => window.reportTime(name, performance.timeOrigin + event.timeStamp);
  addEventListener('click', (event) => report('click', event), true);
  addEventListener(
    'focusin',
    (event) => event.target.matches('input[name=email]') && report('ready', event),
    true,
  );
}
