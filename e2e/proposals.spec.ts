import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, type Page } from 'playwright/test';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';

/** What a coding agent proposes with the MCP server, and a person confirms in a browser. */

test.describe.configure({ timeout: 120_000 });

/** A tool's result, as an agent receives it. */
async function callTool(service: string, name: string, input: object) {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service}/mcp`)));
  const { content } = await client.callTool({ name, arguments: { ...input } });
  await client.close();
  return JSON.parse((content as { text: string }[])[0]?.text ?? '');
}

const INPUT = { name: 'Proposed Harbour', commission_percent: 12.5, origin: 'https://harbour.example' };

async function openProposal(page: Page, service: string): Promise<{ proposal: string; url: string }> {
  const asked = await callTool(service, 'create_app', INPUT);
  expect(asked.status).toBe('needs_confirmation');
  await signInTo(page, service, newEmail(), new URL(asked.url).pathname + new URL(asked.url).search);
  return asked;
}

test('an agent proposes an app and an origin, its user confirms both, and nobody copies the key', async ({
  page,
  browser,
  service,
}) => {
  const { proposal, url } = await openProposal(page, service);
  await expect(page.getByText('A program filled in this form')).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Proposed Harbour');
  await expect(page.getByLabel('Commission')).toHaveValue('12.5');
  await expect(page.getByLabel('Origin of your site')).toHaveValue('https://harbour.example');
  await expectAccessibleLayout(page);
  expect((await callTool(service, 'create_app', { ...INPUT, proposal })).status).toBe('needs_confirmation');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('1 of 5 done')).toBeVisible();

  const created = await callTool(service, 'create_app', { ...INPUT, proposal });
  expect(created).toMatchObject({ status: 'created', name: 'Proposed Harbour', commission_percent: 12.5 });
  const { publishable_key } = created;
  await expect(page.getByText(`publishableKey: '${publishable_key}'`)).toBeVisible();
  await page.goto(url);
  await expect(page.getByText('An app was already created with this link.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create app' })).toHaveCount(0);

  const input = { publishable_key, origin: 'https://www.harbour.example' };
  const asked = await callTool(service, 'add_origin', input);
  await page.goto(asked.url);
  await expect(page.getByRole('heading', { name: 'Add an origin to Proposed Harbour' })).toBeVisible();
  await expect(page.getByText('https://www.harbour.example')).toBeVisible();
  await expectAccessibleLayout(page);
  expect((await callTool(service, 'add_origin', input)).status).toBe('needs_confirmation');
  await page.getByRole('button', { name: 'Add origin' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'https://www.harbour.example' })).toBeVisible();
  expect((await callTool(service, 'add_origin', input)).status).toBe('allowed');
  await page.goto(asked.url);
  await expect(page.getByText('https://www.harbour.example is already registered.')).toBeVisible();

  const stranger = await browser.newPage();
  const { pathname, search } = new URL(asked.url);
  await signInTo(stranger, service, newEmail(), pathname + search);
  await expect(stranger.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await stranger.close();
});

test('a link creates nothing by itself, and one that is not ours or has expired shows no form @attack', async ({
  page,
  service,
}) => {
  const { proposal, url } = await openProposal(page, service);
  await page.goto(url);
  await page.reload();
  expect((await callTool(service, 'create_app', { ...INPUT, proposal })).status).toBe('needs_confirmation');
  await page.goto(url.replace(proposal, `${proposal.slice(0, -4)}AAAA`));
  await expect(page.getByText('This link has expired.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create app' })).toHaveCount(0);
});
