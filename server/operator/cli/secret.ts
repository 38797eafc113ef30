import { pool, querySlowly } from '../../base/db';
import { authSecret } from '../../base/env';
import { fingerprintOf, secretIdOf } from '../../base/keyed-hash';
import { sealAgain, sealedWith } from '../../base/seal';
import { shownIn } from '../../partners/webhooks/record';
import { signingSecretOf } from '../../partners/webhooks/signing-secret';
import { payeeOf } from '../../payments/payouts/payee-details';
import { hashMailbox } from '../../people/users';
import { privateKeyOf } from '../../reports/statements/signing-keys';
import { type Command, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const secretCommands: Readonly<Record<string, Command>> = {
  'secret reseal': {
    usage: 'secret reseal',
    summary:
      'store what AUTH_SECRET_PREVIOUS sealed under AUTH_SECRET, and count what still needs the former',
    needs: 'schema',
    run: resealEverything,
  },
};

/** A column of sealed text, and what its text is bound to. */
type Column = { what: string; table: string; id: string; column: string; boundTo: (id: string) => string };

const COLUMNS: readonly Column[] = [
  { what: 'webhook secrets', table: 'partner', id: 'id', column: 'webhook_secret', boundTo: signingSecretOf },
  {
    what: 'new webhook secrets',
    table: 'partner',
    id: 'id',
    column: 'webhook_next_secret',
    boundTo: signingSecretOf,
  },
  { what: 'webhook events', table: 'event', id: 'id', column: 'body', boundTo: (id) => id },
  { what: 'shown webhook events', table: 'event', id: 'id', column: 'shown_body', boundTo: shownIn },
  {
    what: 'accounts of payees',
    table: 'payee_details',
    id: 'team_id',
    column: 'destination',
    boundTo: payeeOf,
  },
  {
    what: 'the signing key',
    table: 'signing_key',
    id: 'id',
    column: 'private_key',
    boundTo: privateKeyOf,
  },
];

const ROWS_PER_STEP = 500;

type Progress = { what: string; renewed: number; left: number };

async function resealEverything(): Promise<Outcome> {
  await requireCurrentSecret();
  const results: Progress[] = [];
  for (const column of COLUMNS) results.push(await resealColumn(column));
  results.push(await renewMailboxes(), await countUserKeys());
  const left = results.reduce((sum, result) => sum + result.left, 0);
  const rows = results.map(({ what, renewed, left: rest }) => [what, `${renewed} renewed`, `${rest} left`]);
  const advice =
    left === 0
      ? 'AUTH_SECRET_PREVIOUS is no longer needed for any of these.'
      : 'What is left is readable only with the previous secret. User keys are stored under the new one when they next pay for a request.';
  return {
    json: results.map(({ what, renewed, left: rest }) => ({ what, renewed, left: rest })),
    text: [alignColumns(rows), '', advice].join('\n'),
  };
}

/** Otherwise the instances that run would not read what is written here. */
async function requireCurrentSecret(): Promise<void> {
  const { rows } = await pool().query<{ secret: Buffer }>('SELECT secret FROM installation');
  if (rows[0]?.secret.equals(fingerprintOf(authSecret()))) return;
  throw new CommandRefused('Start the service with the new AUTH_SECRET first.');
}

type SealedRow = { id: string; sealed: Buffer };

async function resealColumn({ what, table, id, column, boundTo }: Column): Promise<Progress> {
  let renewed = 0;
  let left = 0;
  for (let after = ''; ; ) {
    const rows = await querySlowly<SealedRow>(
      `SELECT ${id} AS id, ${column} AS sealed FROM ${table}
       WHERE substring(${column} FROM 1 FOR 5) <> $1 AND ${id} > $2 ORDER BY ${id} LIMIT ${ROWS_PER_STEP}`,
      [sealedWith(authSecret()), after],
    );
    const readable = rows.flatMap((row) => tryToReseal(row, boundTo));
    // Nothing is overwritten that changed since it was read.
    const { rowCount } = await pool().query(
      `UPDATE ${table} t SET ${column} = given.renewed
       FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS given(id, sealed, renewed)
       WHERE t.${id} = given.id AND t.${column} = given.sealed`,
      [readable.map((row) => row.id), readable.map((row) => row.sealed), readable.map((row) => row.renewed)],
    );
    renewed += rowCount ?? 0;
    left += rows.length - readable.length;
    if (rows.length < ROWS_PER_STEP) return { what, renewed, left };
    after = rows.at(-1)?.id ?? '';
  }
}

function tryToReseal({ id, sealed }: SealedRow, boundTo: Column['boundTo']) {
  try {
    return [{ id, sealed, renewed: Buffer.from(sealAgain(sealed, boundTo(id))) }];
  } catch {
    return [];
  }
}

/** The accounts of a mailbox keep one hash: deleted accounts follow the one whose address is known. */
async function renewMailboxes(): Promise<Progress> {
  let renewed = 0;
  for (let after = ''; ; ) {
    const rows = await querySlowly<{ id: string; email: string; hash: Buffer }>(
      `SELECT id, email, mailbox_hash AS hash FROM "user"
       WHERE substring(mailbox_hash FROM 1 FOR 4) <> $1 AND deleted_at IS NULL AND id > $2
       ORDER BY id LIMIT ${ROWS_PER_STEP}`,
      [secretIdOf(authSecret()), after],
    );
    const { rowCount } = await pool().query(
      `UPDATE "user" u SET mailbox_hash = given.renewed
       FROM unnest($1::bytea[], $2::bytea[]) AS given(hash, renewed) WHERE u.mailbox_hash = given.hash`,
      [rows.map(({ hash }) => hash), rows.map(({ email }) => Buffer.from(hashMailbox(email)[0]))],
    );
    renewed += rowCount ?? 0;
    if (rows.length < ROWS_PER_STEP) break;
    after = rows.at(-1)?.id ?? '';
  }
  const left = await count(`FROM "user" WHERE substring(mailbox_hash FROM 1 FOR 4) <> $1`);
  return { what: 'mailboxes of accounts', renewed, left };
}

/** Keys are stored as hashes only, so that they are renewed when they are used. */
async function countUserKeys(): Promise<Progress> {
  const left = await count(
    'FROM user_key WHERE ledger_key_lives(revoked_at, expires_at) AND substring(hash FROM 1 FOR 4) <> $1',
  );
  return { what: 'user keys', renewed: 0, left };
}

async function count(from: string): Promise<number> {
  const [row] = await querySlowly<{ left: number }>(`SELECT count(*)::int AS left ${from}`, [
    secretIdOf(authSecret()),
  ]);
  return row?.left ?? 0;
}
