import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { settings } from '@/server/base/env';
import { decideDevice } from '@/server/people/device-authorization';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newAppUser, newDevice, newPartner } from '../../people/identity/app-world';

/** The tool in docs/terminals.md, run unchanged except for the address and the unit of its wait. */

await newDatabase();
const { url } = await startApi();
settings().BASE_URL = url;
const folder = mkdtempSync(path.join(tmpdir(), 'terminals-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the tool in the guide shows a code, waits, slows down when it has to, and signs its user in', async () => {
  const { id: partnerId, publishableKey } = await newPartner();
  const user = await newAppUser(partnerId);
  const { sessionId } = await newDevice(user.userId);
  const code = readBlock('docs/terminals.md', 'interval * 1000');
  const file = path.join(folder, 'tool.mjs');
  writeFileSync(file, code.replace('https://YOUR-SERVICE', url).replace('interval * 1000', 'interval'));
  const tool = spawn(process.execPath, [file], {
    env: { ...process.env, SVC_PUBLISHABLE_KEY: publishableKey },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(tool.stdout)[Symbol.asyncIterator]();
  const { value: shown } = await lines.next();
  const [, address, userCode = ''] = /^Open (\S+) and enter (\S+)$/.exec(shown) ?? [];
  expect(address).toBe(`${url}/device`);
  await decideDevice(userCode, { ...user, sessionId, clientIp: '' }, 'allow');
  expect((await lines.next()).value).toBe(`Signed in as ${user.appUserId}`);
  expect((await lines.next()).done).toBe(true);
});
