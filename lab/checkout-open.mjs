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

async function open() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address.replace('//localhost', '//demo.localhost'), { waitUntil: 'networkidle' });
  const requests = [];
  page.on('requestfinished', (request) => request.frame() !== page.mainFrame() && requests.push(request));
  const begunAt = performance.now();
  await page.getByRole('button', { name: 'Buy credits' }).click();
  while (!(await isReady(page))) await new Promise((resolve) => setTimeout(resolve, 4));
  const ms = performance.now() - begunAt;
  await page.waitForLoadState('networkidle');
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  await context.close();
  return { ms, bytes: sizes.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0) };
}

async function isReady(page) {
  const frame = page.frames().find((one) => one.url().includes('/checkout/ckv_'));
  const isFocused = () => document.activeElement?.matches('input[name=email]') ?? false;
  return (await frame?.evaluate(isFocused).catch(() => false)) ?? false;
}
