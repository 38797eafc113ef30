import { expect, test } from 'vitest';
import { nowDate } from '@/server/base/clock';
import { closeDatabase, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { newDatabase } from '../harness/database';

const { url } = await newDatabase();

test('times written by Prisma and by the database agree in any time zone of the database', async () => {
  const name = new URL(url).pathname.slice(1);
  await pool().query(`ALTER DATABASE ${name} SET timezone = 'America/New_York'`);
  await closeDatabase();

  await prisma().user.create({ data: { id: newId('usr'), email: 'zone@example.com', createdAt: nowDate() } });
  const { rows } = await pool().query<{ seconds: number }>(
    'SELECT abs(extract(epoch FROM clock_timestamp() - created_at))::float8 AS seconds FROM "user"',
  );
  expect(rows[0]?.seconds).toBeLessThan(60);
});
