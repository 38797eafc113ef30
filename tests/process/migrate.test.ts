import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { randomBase62 } from '@/server/base/ids';
import { migrate, requireMigrated } from '@/server/process/migrate';
import { readMigrations, readRelease } from '@/server/process/sql-files';
import { StartError } from '@/server/process/start-error';
import { newDatabase } from '../harness';
import { addressOf, onDatabaseServer } from '../harness/database';
import { withClient } from '../harness/database-connection';

const { url } = await newDatabase();
const names = readMigrations().map(({ name }) => name);
const run = (sql: string) => withClient(url, (client: pg.Client) => client.query(sql));

test('a database that is up to date stays unchanged', async () => {
  expect(await migrate(url)).toEqual([]);
});

test('instances that start at the same time apply each migration and each file once', async () => {
  await run('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  const { rows } = await run('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  expect(rows.map((row) => row.migration_name)).toEqual(names);
  expect(applied.flat().sort()).toEqual([...names, ...readRelease().files.map(({ name }) => name)].sort());
});

test('an owner that is not a superuser can migrate', async () => {
  const owner = `owner_${randomBase62(12).toLowerCase()}`;
  const address = new URL(addressOf(owner));
  await onDatabaseServer(async (client) => {
    await client.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'x'`);
    await client.query(`CREATE DATABASE ${owner} OWNER ${owner}`);
  });
  try {
    Object.assign(address, { username: owner, password: 'x' });
    expect(await migrate(address.href)).toEqual(expect.arrayContaining(names));
  } finally {
    await onDatabaseServer(async (client) => {
      await client.query(`DROP DATABASE ${owner} WITH (FORCE)`);
      await client.query(`DROP ROLE ${owner}`);
    });
  }
});

describe('a start that must not migrate', () => {
  const applied = { version: '1.9.0', files: [] };

  test('accepts a database that is up to date, or newer', async () => {
    await migrate(url);
    await requireMigrated(url);
    await requireMigrated(url, applied);
  });

  test('names the pending migrations, and applies none', async () => {
    await run('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const stopped = new RegExp(
      `MIGRATE is never. Pending: ${names.join(', ')}. Run: npm run svc -- db migrate`,
    );
    for (const _ of ['first', 'second']) await expect(requireMigrated(url)).rejects.toThrow(stopped);
    await migrate(url);
  });

  test('names the pending SQL files, and applies none', async () => {
    const release = { version: '1.9.0', files: [{ name: 'test/sql/pending.sql', text: 'SELECT 1' }] };
    for (const _ of ['first', 'second'])
      await expect(requireMigrated(url, release)).rejects.toThrow('Pending: test/sql/pending.sql.');
  });
});

describe('the record of migrations', () => {
  beforeEach(() =>
    run(`DELETE FROM _prisma_migrations WHERE migration_name NOT IN ('${names.join("', '")}')`),
  );

  const record = (name: string, finishedAt: string) =>
    run(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES (gen_random_uuid(), 'c', '${name}', ${finishedAt})`,
    );

  test('is the one that Prisma writes', async () => {
    const { rows } = await run('SELECT * FROM _prisma_migrations ORDER BY migration_name');
    expect(rows).toEqual(
      readMigrations().map(({ name, checksum }) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum,
        finished_at: expect.any(Date),
        migration_name: name,
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Date),
        applied_steps_count: 1,
      })),
    );
  });

  describe('with a migration that this release does not have', () => {
    const { files, version } = readRelease();
    const updatedBy = (release: string) => run(`UPDATE sql_file SET version = '${release}'`);
    beforeEach(() => record('29990101000000_later', 'now()'));
    afterEach(() => updatedBy(version));

    test('is that of the next release, which this one works with', async () => {
      await updatedBy('1.10.0');
      expect(await migrate(url, { version: '1.9.3', files })).toEqual([]);
    });

    test.each(['1.11.0', '2.0.0'])(
      'stops the start when release %s is more than one ahead',
      async (release) => {
        await updatedBy(release);
        await expectStop(
          new RegExp(
            `Release ${release} has updated this database, and release 1.9.3 works only with.*Start release`,
          ),
          '1.9.3',
        );
      },
    );

    test('stops the start when no newer release applied it', async () => {
      await expectStop(/has migration 29990101000000_later, which release .* does not have, and no newer/);
    });
  });

  test('names the release that changed the tables, even if it changed no SQL file', async () => {
    const { files } = readRelease();
    await run(
      `UPDATE sql_file SET version = '1.9.0'; DROP TABLE provider_loss;
       DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_provider_loss'`,
    );
    await migrate(url, { version: '1.10.0', files });
    const { rows } = await run('SELECT DISTINCT version FROM sql_file');
    expect(rows).toEqual([{ version: '1.10.0' }]);
    await run(`UPDATE sql_file SET version = '1.0.0'`);
  });

  test('stops the start when a migration of a development version is in it', async () => {
    await record('20261121000000_init', 'now()');
    await expectStop(/development version.*20261121000000_init.*Use an empty database/);
  });

  test('stops the start when a migration did not finish', async () => {
    await record('29990101000000_later', 'NULL');
    await expectStop(/29990101000000_later.*did not finish.*DELETE FROM _prisma_migrations/);
  });

  test('stops the start when an applied migration was changed', async () => {
    const change = (checksum: string) =>
      run(`UPDATE _prisma_migrations SET checksum = '${checksum}' WHERE migration_name = '${names[0]}'`);
    await change('other');
    await expectStop(new RegExp(`${names[0]} was changed after it was applied. Restore`));
    await change(readMigrations()[0]?.checksum ?? '');
  });

  async function expectStop(reason: RegExp, version = readRelease().version): Promise<void> {
    const error = await migrate(url, { ...readRelease(), version }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toHaveProperty('message', expect.stringMatching(reason));
  }
});

describe('an SQL file', () => {
  const answer = (number: number) => ({
    name: 'test/sql/answer.sql',
    text: `-- The answer, é.\nCREATE OR REPLACE FUNCTION test_answer() RETURNS integer LANGUAGE sql AS 'SELECT ${number}';\n`,
  });
  const broken = { name: 'test/sql/broken.sql', text: '-- Broken.\nCREATE FUNCTION ledger_broken(' };
  const read = async () => (await run('SELECT test_answer() AS number')).rows[0].number;

  beforeEach(async () => {
    await run(`DELETE FROM sql_file WHERE name LIKE 'test/%'`);
    await migrate(url, { version: '1.9.0', files: [answer(1)] });
  });

  test('is applied once it changed, and only then', async () => {
    const changed = { version: '1.9.0', files: [answer(2)] };
    expect(await migrate(url, changed)).toEqual(['test/sql/answer.sql']);
    expect(await read()).toBe(2);
    expect(await migrate(url, changed)).toEqual([]);
  });

  test('that a release no longer has is forgotten, so that an update back applies it again', async () => {
    const later = { name: 'test/sql/later.sql', text: answer(2).text };
    expect(await migrate(url, { version: '1.9.0', files: [later] })).toEqual([later.name]);
    expect(await migrate(url, { version: '1.9.0', files: [answer(1)] })).toEqual(['test/sql/answer.sql']);
    expect(await read()).toBe(1);
  });

  test('of this release can be applied to a database that has it', async () => {
    const { files } = readRelease();
    await run('DELETE FROM sql_file');
    expect(await migrate(url)).toEqual(files.map(({ name }) => name));
  });

  test('of an older release does not replace that of a newer one', async () => {
    await migrate(url, { version: '1.10.0', files: [answer(2)] });
    expect(await migrate(url, { version: '1.9.0', files: [answer(1)] })).toEqual([]);
    expect(await read()).toBe(2);
  });

  test('that cannot be applied stops the start, is named, and leaves everything as it was', async () => {
    const error = await migrate(url, { version: '1.9.0', files: [answer(2), broken] }).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(StartError);
    expect(error.message).toMatch(/^test\/sql\/broken\.sql could not be applied: syntax error .*\(line 2\)/);
    expect(await read()).toBe(1);
    expect(await migrate(url, { version: '1.9.0', files: [answer(1)] })).toEqual([]);
  });

  test('that is cut off half-way leaves everything as it was, and the next start applies it', async () => {
    const slow = { name: 'test/sql/slow.sql', text: 'SELECT pg_sleep(60)' };
    const cutOff = migrate(url, { version: '1.9.0', files: [answer(2), slow] }).catch((thrown) => thrown);
    // As when the process that applies it is killed.
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'pg_sleep'`;
    await expect.poll(async () => (await run(cut)).rowCount).toBe(1);
    expect(await cutOff).toBeInstanceOf(Error);
    expect(await read()).toBe(1);
    expect(await migrate(url, { version: '1.9.0', files: [answer(2)] })).toEqual(['test/sql/answer.sql']);
    expect(await read()).toBe(2);
  });
});
