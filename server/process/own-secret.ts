import type pg from 'pg';
import { authSecrets, type Settings } from '../base/env';
import { fingerprintOf } from '../base/keyed-hash';
import { onDatabase } from './on-database';
import { StartError } from './start-error';

/**
 * The secret that a database depends on is noted in it as a fingerprint, so that a service with another one stops
 * instead of refusing every user key.
 */

/** Notes the secret of the first start, and later each one that replaces its predecessor. */
export async function claimSecret(databaseUrl: string, given: Settings): Promise<void> {
  const [secret, ...previous] = authSecrets(given).map(fingerprintOf);
  await onDatabase(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO installation AS i (secret) VALUES ($1)
       ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, secret_since = now() WHERE i.secret = ANY ($2)`,
      [secret, previous],
    );
    await requireSecret(client, [secret]);
  });
}

/** For a command, which may run with either secret while one replaces the other. */
export const requireOwnSecret = (databaseUrl: string): Promise<void> =>
  onDatabase(databaseUrl, (client) => requireSecret(client, authSecrets().map(fingerprintOf)));

async function requireSecret(client: pg.Client, accepted: (Buffer | undefined)[]): Promise<void> {
  const { rows } = await client.query<{ secret: Buffer }>('SELECT secret FROM installation');
  const [noted] = rows;
  if (noted === undefined || accepted.some((secret) => secret?.equals(noted.secret))) return;
  throw new StartError(
    'AUTH_SECRET: expected the secret of this database. The user keys, webhook secrets and payee details in it were\n' +
      'stored with another one. If that is to be replaced, set AUTH_SECRET_PREVIOUS to it as well. If it is lost, see\n' +
      'docs/operating.md, "The secret".',
  );
}
