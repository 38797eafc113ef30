// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { onNode } from './nodes.mjs';
import { placeOf } from './place.mjs';

/**
 * The ledger's tables in schemas that Citus places on nodes.
 *
 * Citus gives each table a name of its own on the node that holds it (`svc_1.wallet` is `svc_1.wallet_102008`). The
 * ledger's functions run there, in a second schema (`svc_1_local`) that has a view of each table under its usual name,
 * so PostgreSQL plans them as it does without Citus.
 *
 * @typedef {import('./nodes.mjs').Node} Node
 * @typedef {import('./nodes.mjs').Psql} Psql
 * @typedef {import('pg').Client} Client
 */

/** Every node has a copy of these: all users need them. */
const SHARED = ['team', 'partner', 'partner_limit', 'model', 'model_price', 'fx_rate'];
/** What moves with a user. Sign-in stays where it is. */
const OF_USER = ['user_key', 'wallet', 'user_app', 'hold', 'ledger_transaction', 'audited_pocket'];
const MIGRATIONS = 'prisma/migrations';
const LEDGER_SQL = 'server/ledger/sql';
const ACTIVITY_SQL = 'server/reports/activity/activity.sql';
/** Citus does not pass these on. They only spare ANALYZE some work. */
const STATISTICS = /^ALTER TABLE \w+ ALTER COLUMN \w+ SET STATISTICS \d+;$/gm;
/** The tables have them; a view needs none. */
const TRIGGERS = /^CREATE OR REPLACE TRIGGER [^;]+;$/gm;

/** @param {number} n */
const nameOf = (n) => `svc_${n + 1}`;

/** Copies what all schemas need to both nodes. @param {Node} coordinator */
export function shareTables({ url }) {
  return onNode(url, async (client) => {
    await client.query('CREATE SCHEMA svc_shared');
    for (const table of SHARED) {
      await client.query(`CREATE TABLE svc_shared.${table} (LIKE public.${table} INCLUDING ALL)`);
      await client.query(`SELECT create_reference_table('svc_shared.${table}')`);
      await client.query(`INSERT INTO svc_shared.${table} SELECT * FROM public.${table}`);
    }
  });
}

/** @param {Psql} psql @param {Node} coordinator @param {number} count */
export function createSchemas(psql, coordinator, count) {
  for (let n = 0; n < count; n += 1) {
    const name = nameOf(n);
    psql(coordinator, [
      'SET citus.enable_schema_based_sharding = on;',
      `CREATE SCHEMA ${name}; SET search_path = ${name};`,
      ...readMigrations().map((text) => text.replace(STATISTICS, '')),
      `DROP TABLE ${SHARED.join(', ')} CASCADE;`,
    ]);
  }
}

const readMigrations = () =>
  readdirSync(MIGRATIONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8'));

const readFunctions = () => {
  const ledger = readdirSync(LEDGER_SQL).sort();
  return [...ledger.map((file) => path.join(LEDGER_SQL, file)), ACTIVITY_SQL].map((file) =>
    readFileSync(file, 'utf8'),
  );
};

/** Views and functions for a schema, on the node that holds it. @param {Node} node @param {number} n */
export function openSchema({ url }, n) {
  const name = nameOf(n);
  return onNode(url, async (client) => {
    await client.query('SET citus.enable_ddl_propagation = off');
    await client.query(`CREATE SCHEMA ${name}_local`);
    for (const { schema, table, shard } of await listTables(client, name)) {
      // A view has no system columns, and ledger_batch reads this one.
      const columns = table === 'ledger_transaction' ? '*, xmin' : '*';
      await client.query(
        `CREATE VIEW ${name}_local."${table}" AS SELECT ${columns} FROM ${schema}."${table}_${shard}"`,
      );
    }
    await client.query(`SET search_path = ${name}_local, ${name}`);
    for (const functions of readFunctions()) await client.query(functions.replace(TRIGGERS, ''));
  });
}

/** @param {Client} client @param {string} name @returns {Promise<{ schema: string, table: string, shard: string }[]>} */
async function listTables(client, name) {
  const { rows } = await client.query(
    `SELECT n.nspname AS schema, c.relname AS table, s.shardid::text AS shard
     FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ($1, 'svc_shared')`,
    [name],
  );
  return rows;
}

/** The address of a schema, for the service and for operator commands. @param {Node} node @param {number} n */
export function addressOf({ url }, n) {
  const path = `${nameOf(n)}_local,${nameOf(n)}`;
  return `${url}?options=${encodeURIComponent(`-c search_path=${path}`)}`;
}

/** Moves users and their history to their schemas. @param {Node} coordinator @param {string[]} users @param {number} count */
export function moveUsers({ url }, users, count) {
  return onNode(url, async (client) => {
    await client.query('BEGIN');
    // History is append-only for everyone else.
    await client.query('SET LOCAL session_replication_role = replica');
    for (let n = 0; n < count; n += 1) {
      const own = users.filter((user) => placeOf(user, count) === n);
      for (const table of OF_USER) {
        const rows = `public.${table} WHERE user_id = ANY ($1)`;
        await client.query(`INSERT INTO ${nameOf(n)}.${table} SELECT * FROM ${rows}`, [own]);
        await client.query(`DELETE FROM ${rows}`, [own]);
      }
    }
    await client.query('COMMIT');
  });
}

/** Moves a schema to another node, while nothing writes to it. @param {Node} coordinator @param {Node} node @param {number} n */
export async function moveSchema({ url }, node, n) {
  await onNode(url, async (client) => {
    await client.query(`SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', true)`, [
      node.port,
    ]);
    await client.query(`SELECT citus_schema_move($1, '127.0.0.1', $2, 'block_writes')`, [
      nameOf(n),
      node.port,
    ]);
  });
  await openSchema(node, n);
}
