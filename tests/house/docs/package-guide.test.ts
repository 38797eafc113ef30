import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildWidget } from '../../../scripts/steps.mjs';
import { readBlock } from '../../harness/blocks';

/** The code of the guides that uses the package, bundled with the package as npm would install it. */

const folder = mkdtempSync(path.resolve('.build/package-guide-'));
beforeAll(() => buildWidget(), 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the module that a guide shows, with what its reader has around it; returns its exports. */
async function runBlock(code: string, around = ''): Promise<Record<string, unknown>> {
  const outfile = path.join(folder, `${randomUUID()}.mjs`);
  const entry = outfile.replace('.mjs', '.tsx');
  writeFileSync(entry, `${around}\n${code.replaceAll('svc_pk_…', 'svc_pk_0123456789abcdef')}`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    packages: 'external',
    alias: { 'svc-checkout': path.resolve('widget/loader/dist') },
    resolveExtensions: ['.js'],
    logLevel: 'error',
  });
  return import(outfile);
}

test('the components of the widget guide render, and their page is complete', async () => {
  const { App } = await runBlock(readBlock('docs/widget.md', 'function Ask()'), 'const send = () => {};');
  const html = renderToString(createElement(App as () => null));
  expect(html).toContain('Buy credits');
  expect(html).toContain('>Send</button>');
});

test('the component and the hook of the README of the package work in an app', async () => {
  const [imports = '', element = '', hook = ''] = readBlock('widget/loader/README.md', 'SvcProvider').split(
    '\n\n',
  );
  const { App } = await runBlock(`${imports}
    function Ask() {
      ${hook}
      return <p>{typeof fetch}</p>;
    }
    export const App = () => ${element.replace(';', '').replace('<BuyCredits />', '<Ask /> <BuyCredits />')};`);
  const html = renderToString(createElement(App as () => null));
  expect(html).toContain('Buy credits');
  expect(html).toContain('<p>function</p>');
});

test('the client of the widget guide is one of the OpenAI SDK', async () => {
  const { client } = await runBlock(readBlock('docs/widget.md', 'import OpenAI'), 'export { client };');
  expect(client).toMatchObject({ baseURL: 'https://YOUR-SERVICE/v1' });
});

test('the component and the client of the skill run as they are', async () => {
  const { Credits } = await runBlock(readBlock('widget/skill.md', 'function Credits'));
  const html = renderToString(createElement(Credits as () => null, null, 'the app'));
  expect(html).toContain('Buy credits');
  expect(html).toContain('the app');
  const { client } = await runBlock(readBlock('widget/skill.md', 'import OpenAI'));
  expect(client).toMatchObject({ baseURL: 'https://YOUR-SERVICE/v1' });
});

test('the code of the webhook guide creates a route, and stores the events of a service', async () => {
  vi.stubEnv('SVC_WEBHOOK_SECRET', 'whsec_one');
  const service = createServer((_, response) =>
    response.end(JSON.stringify({ data: [{ id: 'evt_1' }], has_more: false })),
  );
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const around = `
    const service = 'http://127.0.0.1:${(service.address() as AddressInfo).port}', publishableKey = 'svc_pk_1', after = undefined;
    const store = (event) => { throw new Error('stored ' + event.id); };`;
  const block = runBlock(readBlock('docs/webhooks.md', 'webhookRoute({ secret'), around);
  await expect(block).rejects.toThrow('stored evt_1');
  vi.unstubAllEnvs();
  service.closeAllConnections();
  service.close();
});
