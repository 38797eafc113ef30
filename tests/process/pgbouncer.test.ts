import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { closeDatabase, pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { requireUsableDatabase } from '@/server/process/check-database';
import { migrate } from '@/server/process/migrate';
import { newDatabase } from '../harness';
import { withClient } from '../harness/database-connection';
import { freePort } from '../harness/free-port';

/** A real PgBouncer, where one is installed. */

const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer';
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0;
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

const { url } = await newDatabase();

async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new URL(url);
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  const isRoot = process.getuid?.() === 0;
  const child = spawn(PROGRAM, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  for await (const line of child.stderr) if (String(line).includes('process up')) break;
  return Object.assign(server, { hostname: '127.0.0.1', port: String(port) }).href;
}

describe.skipIf(!isInstalled)('behind PgBouncer', () => {
  test('in session mode, the service has its settings on every connection, whatever those of the role are', async () => {
    await withClient(url, (client) =>
      client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET timezone = 'America/New_York'`),
    );
    const pooled = await startPooler('session');
    await requireUsableDatabase(pooled);
    expect(await migrate(pooled)).toEqual([]);
    Object.assign(settings(), { DATABASE_URL: pooled });
    const read =
      "SELECT current_setting('timezone') AS zone, current_setting('statement_timeout') AS timeout";
    expect((await pool().query(read)).rows).toEqual([{ zone: 'UTC', timeout: '5s' }]);
    await closeDatabase();
  });

  test('in transaction mode, the start is refused with the reason', async () => {
    const pooled = await startPooler('transaction');
    await expect(requireUsableDatabase(pooled)).rejects.toThrow(
      /this one pools transactions.*pool_mode=session/s,
    );
  });
});
