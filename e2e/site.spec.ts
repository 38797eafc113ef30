import { type APIRequestContext, type Browser, expect, type Page, test } from 'playwright/test';
import { expectAccessible, expectAccessibleInLightAndDark } from './fixtures/accessibility';

const PHONE = { width: 375, height: 812 };
/** Pages with a different layout on phones: menu, cards, table of contents. */
const DIFFERENT_ON_A_PHONE = ['/', '/pricing', '/docs/charges', '/docs/api/generate'];

/** Collects what a browser reports: blocked styles and scripts, failed files, deprecations, exceptions. */
function listenForProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  return problems;
}

/** Every page in the sitemap. */
async function pagesOf(request: APIRequestContext): Promise<string[]> {
  const sitemap = await (await request.get('/sitemap.xml')).text();
  const paths = [...sitemap.matchAll(/<loc>https?:\/\/[^/]+([^<]*)<\/loc>/g)].map(([, path]) => path ?? '');
  expect(paths).toEqual(
    expect.arrayContaining(['/', '/pricing', '/docs', '/docs/api/generate', '/docs/errors', '/docs/widget']),
  );
  return paths;
}

async function openPage(browser: Browser, options: Parameters<Browser['newContext']>[0]): Promise<Page> {
  const context = await browser.newContext(options);
  return context.newPage();
}

test('every page is accessible in light and dark mode, fits a phone and violates no content security policy', async ({
  page,
  request,
}) => {
  test.slow();
  const problems = listenForProblems(page);
  for (const path of [...(await pagesOf(request)), '/docs/search?q=credits', '/sign-in']) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(path);
    await test.step(path, () => expectAccessibleInLightAndDark(page));
    await page.setViewportSize(PHONE);
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(excess, `${path} scrolls sideways`).toBe(0);
    if (DIFFERENT_ON_A_PHONE.includes(path))
      await test.step(`${path} on a phone`, () => expectAccessible(page));
  }
  expect(problems).toEqual([]);
});

test('every link and every anchor of the site has a target', async ({ request }) => {
  const paths = await pagesOf(request);
  const texts = new Map<string, string>();
  const read = async (path: string): Promise<string> => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const response = await request.get(path, { maxRedirects: 3 });
    expect(response.status(), path).toBe(200);
    const text = await response.text();
    texts.set(path, text);
    return text;
  };
  for (const path of paths) {
    const links = [...(await read(path)).matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href ?? '');
    for (const href of new Set(links.filter((link) => /^[/#]/.test(link)))) {
      const [target = '', anchor] = href.split('#');
      // Another host serves the demo, and only a browser resolves it.
      if (target === '/demo') continue;
      const text = await read(target === '' ? path : target);
      if (anchor) expect(text, `${href} on ${path}`).toContain(`id="${anchor}"`);
    }
  }
});

test('a signed-in user sees a link to the account', async ({ request }) => {
  const linkOf = async (headers: Record<string, string>) => {
    const html = await (await request.get('/pricing', { headers })).text();
    return /<nav aria-label="Main".*?<\/nav>/s.exec(html)?.[0];
  };
  expect(await linkOf({})).toMatch(/href="\/sign-in"[^>]*>Sign in</);
  expect(await linkOf({ cookie: '__Host-svc-session=of-a-sign-in' })).toMatch(
    /href="\/account"[^>]*>Account</,
  );
});

test('a visitor finds a model, sees what a request costs, and can share the address', async ({
  page,
  request,
}) => {
  await page.goto('/');
  await page.getByRole('link', { name: /^All \d+ models$/ }).click();
  await expect(page.getByRole('heading', { name: 'Models and prices' })).toBeVisible();
  const table = page.getByRole('table', { name: /Models and their prices/ });
  await expect(page.getByRole('button', { name: /^Show all \d+ models$/ })).toBeVisible();

  await page.getByRole('searchbox', { name: 'Search models' }).fill('sandbox story');
  await expect(table.getByRole('row')).toHaveCount(3);
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('sandbox');
  await expect(page.getByRole('status')).toHaveText('1 model');
  await page.getByLabel('Input tokens').fill('1000000');
  await page.getByLabel('Output tokens').fill('0');
  await page.getByLabel('Commission in percent').fill('50');
  const { pricing } = await (await request.get('/v1/models/sandbox/story')).json();
  await expect(table.getByRole('row').last()).toContainText(`${(pricing.input * 150).toFixed(4)} credits`);

  const address = page.url();
  expect(address).toContain('q=sandbox+story');
  await page.goto(address);
  await expect(page.getByRole('searchbox')).toHaveValue('sandbox story');
  await expect(page.getByRole('status')).toHaveText('1 model');

  await page.getByRole('searchbox').fill('no such model');
  await expect(page.getByText('No models match')).toBeVisible();
  await page.getByRole('button', { name: 'Show all models' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await page.getByRole('button', { name: 'Output', exact: true }).click();
  await expect(table.getByRole('columnheader', { name: 'Output', exact: true })).toHaveAttribute(
    'aria-sort',
    /.+/,
  );
});

test('the documentation works with the keyboard alone', async ({ browser, baseURL }) => {
  const page = await openPage(browser, {
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(baseURL && { baseURL }),
  });
  await page.goto('/docs');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();

  const copy = page.getByRole('button', { name: 'Copy HTML' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect(copy).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Svc.init({');

  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Generate' })
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Create a chat completion' })).toBeVisible();
  const fields = page.getByText('Fields of messages').first();
  await fields.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('On a tool message: the call that it is the result of.').first()).toBeVisible();
  await page.context().close();
});

test('on a phone, one button opens the pages of the documentation', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto('/docs');
  const menu = page.locator('details:has(nav)');
  const summary = page.getByText('Documentation / Quickstart');
  await summary.click();
  await expect(menu.getByRole('link', { name: 'Errors' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu).not.toHaveAttribute('open');
  await summary.click();
  await menu.getByRole('link', { name: 'Errors' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Errors' })).toBeVisible();
  await expect(menu).not.toHaveAttribute('open');
});

test('a visitor without scripts searches the documentation from every page of it', async ({
  browser,
  baseURL,
}) => {
  const options = { javaScriptEnabled: false, ...(baseURL && { baseURL }) };
  const page = await openPage(browser, options);
  await page.goto('/docs/keys');
  const box = page.getByRole('search', { name: 'Documentation' }).getByRole('searchbox');
  await box.fill('insufficient_credits');
  await box.press('Enter');
  await expect(page.getByRole('status')).toHaveText(/^\d+ sections for “insufficient_credits”/);
  await page.getByRole('link', { name: 'Errors: insufficient_credits' }).click();
  await expect(page).toHaveURL(/\/docs\/errors#insufficient_credits$/);
  await page.setViewportSize(PHONE);
  await page.goto('/docs/search?q=nothing-of-the-kind-zz');
  await page.getByRole('searchbox', { name: 'Search the documentation' }).last().fill('capacitor');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Recipes: Web views' })).toBeVisible();
  await page.context().close();
});

test('machines find the documentation, but no personal pages', async ({ request }) => {
  const text = await (await request.get('/llms.txt')).text();
  for (const [, address] of text.matchAll(/\]\((http[^)]+)\)/g))
    expect((await request.get(address ?? '')).status(), address).toBe(200);
  for (const address of ['/skill.md', '/docs/clients.md', '/docs/api/credits.md', '/docs/errors.md']) {
    const response = await request.get(address);
    expect([address, response.headers()['content-type']]).toEqual([address, 'text/markdown; charset=utf-8']);
    expect(await response.text()).toMatch(/^# .+/m);
  }
  const full = await (await request.get('/llms-full.txt')).text();
  for (const expected of [
    'POST /v1/chat/completions',
    'user_key.created',
    'partner_limit_reached',
    'Svc.init(',
  ])
    expect(full).toContain(expected);
  const robots = await (await request.get('/robots.txt')).text();
  expect(robots).toContain('Disallow: /account');
  expect(robots).toMatch(/^Sitemap: http/m);
});

test('an unknown address shows a 404 page with links', async ({ page, request }) => {
  for (const path of ['/nothing', '/docs/nothing', '/docs/api/nothing', '/docs/..%2f..%2fREADME'])
    expect((await request.get(path)).status(), path).toBe(404);
  await page.goto('/docs/nothing');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectAccessible(page);
});
