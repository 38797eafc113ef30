import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inTransaction } from '@/server/base/db';
import { issueSignInToken } from '@/server/people/sign-in-tokens';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { freePort } from '../../harness/free-port';
import { newAppUser, newDevice, newPartner } from '../../people/identity/app-world';

/** The server in docs/sign-in.md, run unchanged except for the address. */

await newDatabase();
const { url } = await startApi();
const partner = await newPartner();
const folder = mkdtempSync(path.join(tmpdir(), 'sign-in-'));
const port = await freePort();
const app = `http://localhost:${port}`;
const server = startServer();
afterAll(() => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function startServer(): ChildProcess {
  const code = readBlock('docs/sign-in.md', 'createServer(async');
  expect(code).toContain("'https://YOUR-SERVICE'");
  const file = path.join(folder, 'server.mjs');
  writeFileSync(file, code.replace('https://YOUR-SERVICE', url));
  return spawn(process.execPath, [file], {
    env: { ...process.env, PORT: String(port), SVC_PUBLISHABLE_KEY: partner.publishableKey },
    stdio: 'ignore',
  });
}

const visit = (address: string, cookie = '') => fetch(address, { redirect: 'manual', headers: { cookie } });

test('the server in the guide signs its user in, and rejects a sign-in that another browser started', async () => {
  const isUp = () =>
    visit(app).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp, { timeout: 12_000 }).toBe(true);
  const sent = await visit(`${app}/login`);
  const authorize = new URL(sent.headers.get('location') ?? '');
  const parameters = Object.fromEntries(authorize.searchParams);
  expect(authorize.origin + authorize.pathname).toBe(`${url}/auth/authorize`);
  expect(parameters).toMatchObject({
    publishable_key: partner.publishableKey,
    code_challenge_method: 'S256',
  });

  const { appUserId, userId } = await newAppUser(partner.id);
  const { sessionId } = await newDevice(userId);
  const grant = { userId, partnerId: partner.id, sessionId, origin: app };
  const token = await inTransaction((tx) =>
    issueSignInToken(tx, { ...grant, challenge: String(parameters.code_challenge) }),
  );
  const back = `${parameters.redirect_uri}?token=${token}&state=${parameters.state}`;
  const cookie = sent.headers.get('set-cookie')?.split(';')[0];
  expect((await visit(back)).status).toBe(400);
  expect((await visit(`${back}x`, cookie)).status).toBe(400);
  const signedIn = await visit(back, cookie);
  expect([signedIn.status, await signedIn.text()]).toEqual([200, `Signed in as ${appUserId}`]);
  const again = await visit(back, cookie);
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('sign in again')]);
});
