import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const ROLE = 'svc_service';
export const GRANTS = path.resolve('server/process/service-role.sql');

/**
 * Opens the role that the service works with, so that nothing it is made to do can change history, and returns
 * its address. By default, the password is new at each start and stored nowhere.
 */
export async function openServiceRole(
  ownerUrl: string,
  password = randomBytes(24).toString('base64url'),
): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${ROLE} LOGIN`);
    await client.query(`ALTER ROLE ${ROLE} PASSWORD ${client.escapeLiteral(password)}`);
    await client.query(readFileSync(GRANTS, 'utf8'));
  } finally {
    await client.end();
  }
  return addressOfService(ownerUrl, password);
}

export const addressOfService = (ownerUrl: string, password: string): string =>
  Object.assign(new URL(ownerUrl), { username: ROLE, password }).href;
