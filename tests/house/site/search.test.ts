import { expect, test } from 'vitest';
import { headingsOf } from '@/app/(site)/parts/markdown';
import { findGuide, GUIDES, readGuide } from '@/server/api/docs/guides';
import { DOCS_PAGES, findDocsPage, writePage } from '@/server/api/docs/pages';
import { searchDocs } from '@/server/api/docs/search';

test.each([
  ['insufficient_credits', '/docs/errors#insufficient_credits'],
  ['GET /v1/credits/history', '/docs/api/credits#'],
  ['capacitor', '/docs/recipes#web-views'],
  ['How do I verify a webhook signature?', '/docs/webhooks'],
  ['passkey', '/docs/sign-in#passkeys'],
  ['device cod', '/docs/api/oauth#startDeviceAuthorization'],
])('the search for "%s" finds %s among the first', async (query, path) => {
  const found = await searchDocs(query, 5);
  expect(found.map((one) => one.path)).toContainEqual(expect.stringContaining(path));
});

test('a query of any text finds a bounded number of sections with short excerpts, or nothing @attack', async () => {
  const texts = ['', ' \0\u2028', '../../etc/passwd', '<zz>', 'zzzzzz', '%', '𝓪'.repeat(9_999)];
  for (const text of texts) expect(await searchDocs(text)).toEqual([]);
  for (const text of ['credits '.repeat(5_000), 're cr us pa co se pr st in', 'the user and the app']) {
    const found = await searchDocs(text, 1_000);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(20);
    for (const { excerpt } of found) expect(excerpt.length).toBeLessThanOrEqual(242);
  }
});

test('the sections of a guide are those that its page has anchors for, and together its whole text', () => {
  for (const guide of GUIDES) {
    const page = findDocsPage(guide.slug);
    const ids = page?.read().map(({ id }) => id);
    expect(ids).toEqual(['', ...headingsOf(readGuide(guide)).map(({ id }) => id)]);
  }
  const text = readGuide(findGuide('clients') ?? expect.fail());
  const words = (markdown: string) => markdown.split(/\s+/);
  expect(words(writePage(findDocsPage('clients') ?? expect.fail()))).toEqual(words(text.trim()).concat(''));
});

test('every page has a title, a description and text', () => {
  for (const page of DOCS_PAGES) {
    expect([page.name, page.title, page.description]).not.toContain('');
    expect(writePage(page).length).toBeGreaterThan(200);
  }
});
