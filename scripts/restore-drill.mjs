// @ts-check

import { readOptions } from './read-options.mjs';
import { pointAt, restore, runOn } from './recovery/restore.mjs';
import {
  bundleServer,
  enterProject,
  fail,
  generateClient,
  installDependencies,
  loadEnvFile,
} from './steps.mjs';

const HELP = `npm run restore-drill -- --backup DIRECTORY --wal DIRECTORY [--until TIME]

Restores a base backup and its archived write-ahead log into a copy on loopback, checks the ledger there, prints how
long each step took, and removes the copy. Exit code 1 if anything is wrong. The backup and the archive are only read.

  --backup DIRECTORY  written by pg_basebackup --format=plain
  --wal DIRECTORY     the archived segments; without it, only what the backup contains
  --until TIME        restore to this time, such as "2026-11-23 08:15:00+00", instead of the end of the archive
  --dir DIRECTORY     where the copy is made (the system's temporary folder)
  --bin DIRECTORY     PostgreSQL's programs, in the major version of the backup

DATABASE_URL names the database in the backup, with the credentials to read it.`;

const OPTIONS = /** @type {const} */ ({
  backup: { type: 'string' },
  wal: { type: 'string' },
  until: { type: 'string' },
  dir: { type: 'string' },
  bin: { type: 'string' },
  help: { type: 'boolean' },
});

async function main() {
  enterProject();
  loadEnvFile();
  const { backup, databaseUrl, help, ...options } = readSettings();
  if (help) return console.log(HELP);
  await installDependencies();
  await generateClient();
  await bundleServer();
  const restored = await restore({ backup, ...options });
  try {
    const check = await runOn(pointAt(databaseUrl, restored.port), ['ledger', 'check']);
    console.log(`${'copied'.padEnd(16)} ${restored.copySeconds.toFixed(1)} s`);
    console.log(`${'replayed'.padEnd(16)} ${restored.replaySeconds.toFixed(1)} s`);
    console.log(`${'ledger checked'.padEnd(16)} ${check.seconds.toFixed(1)} s\n${check.output}`);
    if (!check.ok) process.exitCode = 1;
  } finally {
    await restored.remove();
  }
}

function readSettings() {
  const { backup, wal, until, dir, bin, help } = readOptions(OPTIONS);
  const databaseUrl = process.env.DATABASE_URL ?? '';
  if (help) return { backup: '', databaseUrl, help };
  if (backup === undefined) return fail(`--backup is missing.\n\n${HELP}`);
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    return fail(`--until: expected a time such as "2026-11-23 08:15:00+00", not "${until}".`);
  if (databaseUrl === '')
    return fail(
      'DATABASE_URL is not set. It names the database in the backup, with the credentials to read it.',
    );
  return { backup, wal, until, directory: dir, bin, databaseUrl, help: false };
}

await main();
