import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { newDatabase } from '../../harness';
import { bundleProgram } from '../../harness/programs';
import { openMailbox } from '../identity/mailbox';
import { limit, newSpender, spend, warn } from './spender';

/** A process that dies between its claim of a warning and the mail. */

await newDatabase();
const mailbox = await openMailbox();

const bundle = bundleProgram('tests/people/warnings/warnings-process.ts');
afterAll(() => {
  setClock();
});

/** Kills the process as soon as it connects to send the mail. */
async function runUntilItMails(userId: string): Promise<void> {
  const server = createServer(() => child?.kill('SIGKILL'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const SMTP_URL = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [bundle, userId], {
    env: { ...process.env, SMTP_URL },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  server.close();
  expect(signal).toBe('SIGKILL');
}

test('a warning of a process that died after its claim is mailed by another one, a minute later and once', async () => {
  const spender = await newSpender('limits');
  await limit(spender, 'Harbour', { month: 200 });
  await spend(spender, 100);
  await runUntilItMails(spender.userId);
  await warn(spender);
  expect(mailbox.mails).toHaveLength(0);
  const later = now() + MINUTE_MS + 1_000;
  setClock(() => later);
  await warn(spender);
  await warn(spender);
  expect(mailbox.mails.map(({ mail }) => mail.subject)).toEqual([
    'You have used 50% of your limit per month for Harbour',
  ]);
});
