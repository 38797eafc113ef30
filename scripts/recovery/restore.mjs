// @ts-check
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { fail } from '../steps.mjs';
import { findPrograms, handOver, startCluster } from './cluster.mjs';

/**
 * Restores a base backup and its archived write-ahead log into a copy, which is removed afterwards: the backup and
 * the archive are only read.
 *
 * @typedef {object} Request
 * @property {string} backup a directory written by `pg_basebackup --format=plain`
 * @property {string | undefined} [wal] the directory of archived segments
 * @property {string | undefined} [until] a point in time; the end of the archive if it is not given
 * @property {string | undefined} [bin] the folder of PostgreSQL's programs
 * @property {string | undefined} [directory] where the copy is made; it needs as much space as the backup and the replayed changes
 *
 * @typedef {object} Restored
 * @property {number} port
 * @property {number} copySeconds
 * @property {number} replaySeconds
 * @property {() => Promise<void>} remove
 */

const CONTENT = ['PG_VERSION', 'global/pg_control', 'backup_label'];
const HBA = 'host all all 127.0.0.1/32 scram-sha-256\n';
const run = promisify(execFile);

/** @param {Request} request @returns {Promise<Restored>} */
export async function restore({ backup, wal, until, bin, directory = tmpdir() }) {
  const missing = CONTENT.find((name) => !existsSync(path.join(backup, name)));
  if (missing !== undefined)
    fail(
      `${backup} is no base backup: ${missing} is missing. Make one with: pg_basebackup --format=plain -D DIRECTORY`,
    );
  if (readdirSync(path.join(backup, 'pg_tblspc')).length > 0)
    fail(
      `${backup} has tablespaces, which a copy would share with the server it came from. Restore it by hand.`,
    );
  if (wal !== undefined && !existsSync(wal)) fail(`--wal: ${wal} does not exist.`);
  const programs = findPrograms(readFileSync(path.join(backup, 'PG_VERSION'), 'utf8').trim(), bin);
  const folder = mkdtempSync(path.join(directory, 'svc-drill-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);

  const startMs = performance.now();
  const data = path.join(folder, 'data');
  execFileSync('cp', ['-a', backup, data]);
  rmSync(path.join(data, 'postmaster.pid'), { force: true });
  writeFileSync(path.join(data, 'recovery.signal'), '');
  writeFileSync(path.join(folder, 'pg_hba.conf'), HBA);
  writeFileSync(path.join(folder, 'empty.conf'), '');
  handOver(folder);
  const copiedMs = performance.now();
  const cluster = await startCluster(programs, data, {
    config_file: path.join(folder, 'empty.conf'),
    hba_file: path.join(folder, 'pg_hba.conf'),
    ident_file: path.join(folder, 'empty.conf'),
    hot_standby: 'off',
    archive_mode: 'off',
    primary_conninfo: '',
    restore_command: wal === undefined ? 'false' : `cp "${path.resolve(wal)}/%f" "%p"`,
    recovery_target_action: 'promote',
    ...(until === undefined ? {} : { recovery_target_time: until }),
  });
  return {
    port: cluster.port,
    copySeconds: (copiedMs - startMs) / 1_000,
    replaySeconds: (performance.now() - copiedMs) / 1_000,
    remove: async () => {
      await cluster.stop();
      remove();
    },
  };
}

/**
 * Runs an operator command on a restored database.
 *
 * @param {string} databaseUrl @param {string[]} command
 * @returns {Promise<{ ok: boolean, output: string, seconds: number }>}
 */
export async function runOn(databaseUrl, command) {
  const startMs = performance.now();
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { ok, output } = await run(process.execPath, ['scripts/svc.mjs', ...command], { env }).then(
    ({ stdout }) => ({ ok: true, output: stdout }),
    (error) => ({ ok: false, output: `${error.stdout ?? ''}${error.stderr ?? ''}` || String(error) }),
  );
  return { ok, output: output.trim(), seconds: (performance.now() - startMs) / 1_000 };
}

/** The same credentials and database, on the restored server. @param {string} databaseUrl @param {number} port */
export function pointAt(databaseUrl, port) {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  url.search = '';
  return url.href;
}
