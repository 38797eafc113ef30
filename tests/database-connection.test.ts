import { expect, test } from 'vitest';
import { onConnection, pool } from '@/server/db';
import { newDatabase } from './harness/database';

await newDatabase();

test('a connection that breaks between two statements fails the work, not the process, and is not used again', async () => {
  const work = onConnection(async (connection) => {
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const gone = new Promise((resolve) => connection.once('end', resolve));
    await pool().query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await gone;
    await connection.query('SELECT 1');
  });

  await expect(work).rejects.toThrow(/not queryable|terminat/i);
  expect((await pool().query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
