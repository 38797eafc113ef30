import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, expect, test } from 'vitest';
import { settings } from '@/server/base/env';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newPerson } from '../../harness/people';
import { newShell } from '../../harness/shell';
import { until } from '../../harness/until';
import { recordTest } from '../../partners/webhooks/hook-world';
import { startReceiver } from '../../partners/webhooks/receiver';

/** The commands of the guides that install something, as they are except for address and key, in an empty folder. */

await newDatabase();
const { url } = await startApi();
settings().BASE_URL = url;
const { partnerId, publishableKey, userKey } = await newPerson({ credits: 100 });
const shell = newShell();
const { folder } = shell;
beforeAll(() => buildWidget(), 120_000);

const TIMEOUT_MS = 60_000;

const fill = (command: string): string =>
  command
    .replaceAll('https://YOUR-SERVICE', url)
    .replaceAll('http://localhost:3000', url)
    .replaceAll('svc_pk_…', publishableKey)
    .replaceAll('svc_sk_…', userKey);

test.each([
  ['the recipes', readBlock('docs/recipes.md', 'npx ')],
  ['the widget guide', readBlock('docs/widget.md', 'npx ')],
  ['the skill', readBlock('widget/skill.md', 'create-svc-app.tgz')],
])(
  'the command of %s creates an app for the service that it comes from',
  async (name, command) => {
    const app = name.replaceAll(' ', '-');
    const running = shell.start(fill(command).replace('my-app', app));
    expect([await running.ended, running.printed()]).toEqual([
      0,
      expect.stringContaining(`Created ${app} with`),
    ]);
    const readme = readFileSync(path.join(folder, app, 'README.md'), 'utf8');
    expect(readme).toContain(`${url}/docs`);
    expect(readme).toContain(publishableKey);
  },
  TIMEOUT_MS,
);

test.each([
  ['the widget guide', readBlock('docs/widget.md', 'npm i ')],
  ['the skill', readBlock('widget/skill.md', 'npm install ')],
])(
  'the command of %s installs the package, which needs no registry',
  async (name, command) => {
    const cwd = mkdtempSync(path.join(folder, name.replaceAll(' ', '-')));
    const running = shell.start(`npm init --yes >/dev/null && ${fill(command)}`, { cwd });
    expect([await running.ended, running.printed()]).toEqual([0, expect.stringContaining('added 1 package')]);
    expect(existsSync(path.join(cwd, 'node_modules/svc-checkout/dist/index.js'))).toBe(true);
  },
  TIMEOUT_MS,
);

test('the READMEs in the packages name the same commands', () => {
  expect(readBlock('widget/create/README.md', 'npx ')).toBe(readBlock('docs/widget.md', 'npx '));
  expect(readBlock('widget/loader/README.md', 'npm i ')).toBe(readBlock('docs/widget.md', 'npm i '));
});

test.each([
  ['the webhook guide', readBlock('docs/webhooks.md', 'svc-listen'), 'localhost:4242'],
  ['the skill', readBlock('widget/skill.md', 'svc-listen'), 'localhost:3000'],
])(
  'the command of %s forwards an event to a backend on localhost',
  async (_, command, address) => {
    const receiver = await startReceiver(204);
    await createSecret(partnerId);
    const { secret = '' } = (await revealSecret(partnerId)) ?? {};
    const event = await recordTest(partnerId);
    expect(command).toContain(address);
    const running = shell.start(
      fill(command).replace('whsec_…', secret).replace(address, new URL(receiver.url).host),
      { env: { SVC_WEBHOOK_SECRET: secret, XDG_STATE_HOME: mkdtempSync(path.join(folder, 'state-')) } },
    );
    const isSent = (printed: string) => printed.includes(`test ${event} → 204`);
    await until(async () => running.printed(), isSent).finally(running.stop);
  },
  TIMEOUT_MS,
);

test('the command of the agents guide names a server that the official client reaches, with the header for the other tools', async () => {
  const block = fill(readBlock('docs/agents.md', 'claude mcp add'));
  const [, transport, name, address = ''] =
    /^claude mcp add --transport (\w+) (\w+) (\S+)$/m.exec(block) ?? [];
  expect([transport, name]).toEqual(['http', 'svc']);
  const [, header = '', value = ''] = /^# .* --header "(\w+): (.+)"$/m.exec(block) ?? [];
  for (const headers of [{}, { [header]: value }]) {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
    const { content } = await client.callTool(
      header in headers
        ? { name: 'get_balance' }
        : { name: 'explain_error', arguments: { error: 'insufficient_credits' } },
    );
    expect(JSON.stringify(content)).toContain(header in headers ? '100' : 'insufficient_credits');
    await client.close();
  }
});
