import { countOf } from '../../base/count-of';
import {
  type ArchivedMonth,
  ArchiveError,
  checkArchive,
  checkLedger,
  findArchived,
  findLatestCutoff,
  mayRemove,
  pauseInCommand,
  removeArchived,
  writeArchive,
} from '../../ledger';
import { checkStatements } from '../../reports/statements/check-statements';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';

export const ledgerCommands: Readonly<Record<string, Command>> = {
  'ledger check': {
    usage: 'ledger check [--archive DIR]',
    summary:
      'recompute every balance and check all invariants and daily statements, with those of archived receipts',
    options: { archive: 'text' },
    needs: 'schema',
    run: check,
  },
  'ledger archive': {
    usage: 'ledger archive --before YYYY-MM --to DIR [--delete]',
    summary:
      'write the receipts of earlier months to files and read them back; with --delete, then remove them here',
    options: { before: 'text', to: 'text', delete: 'flag' },
    needs: 'schema',
    run: (input) => refuseProblems(() => archive(input)),
  },
  'ledger find': {
    usage: 'ledger find REQUEST_ID --archive DIR',
    summary: 'show an archived receipt',
    arguments: ['REQUEST_ID'],
    options: { archive: 'text' },
    needs: 'nothing',
    run: (input) => refuseProblems(() => find(input)),
  },
};

async function check(input: CommandInput): Promise<Outcome> {
  const { differences, users, transactions } = await checkLedger(pauseInCommand);
  const dir = input.find('archive');
  const archived = dir === undefined ? null : await refuseProblems(() => checkArchive(dir, pauseInCommand));
  const ofStatements = await checkStatements(pauseInCommand);
  const all = [...differences, ...ofStatements, ...(archived?.differences ?? [])];
  const counted = [
    `${countOf(users, 'user')}, ${countOf(transactions, 'transaction')}`,
    ...(archived
      ? [`${countOf(archived.receipts, 'archived receipt')} of ${countOf(archived.months, 'month')}`]
      : []),
  ].join(', ');
  return {
    json: {
      ok: all.length === 0,
      users,
      transactions,
      ...(archived && { archived_months: archived.months, archived_receipts: archived.receipts }),
      differences: all,
    },
    text:
      all.length === 0
        ? `The ledger is consistent: ${counted}.`
        : [`The ledger has differences (${counted}):`, ...all].join('\n'),
    hasProblem: all.length > 0,
  };
}

async function archive(input: CommandInput): Promise<Outcome> {
  const [before, dir] = [input.require('before'), input.require('to')];
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(before))
    throw new CommandRefused(`--before: expected a month such as 2025-07, got "${before}"`);
  const latest = await findLatestCutoff(pauseInCommand);
  if (before > latest)
    throw new CommandRefused(
      `--before: expected ${latest} or earlier, because receipts can be disputed, or their commission matures, until they are this old`,
    );
  const isRemoving = input.has('delete');
  if (isRemoving && !(await mayRemove()))
    throw new CommandRefused('--delete: expected DATABASE_URL of the role that owns the tables');
  const written = await writeArchive({ dir, before }, pauseInCommand);
  const removed = isRemoving ? await removeArchived({ dir, before }, pauseInCommand) : [];
  return {
    json: { to: dir, before, written, removed },
    text: [
      written.length === 0
        ? `Every month before ${before} is in ${dir}.`
        : `Wrote ${describe(written)} to ${dir}, and read them back.`,
      ...(isRemoving
        ? [`Removed ${describe(removed)} from the database. Keep ${dir} with the backups.`]
        : []),
    ].join('\n'),
  };
}

async function find(input: CommandInput): Promise<Outcome> {
  const [id, dir] = [input.require('REQUEST_ID'), input.require('archive')];
  const found = await findArchived(dir, id);
  if (found === null) throw new CommandRefused(`${dir} has no receipt ${id}`);
  return { json: found, text: `${JSON.stringify(found.receipt, null, 2)}\nArchived with ${found.month}.` };
}

async function refuseProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError) throw new CommandRefused(error.message);
    throw error;
  }
}

function describe(months: ArchivedMonth[]): string {
  const receipts = months.reduce((sum, month) => sum + month.receipts, 0);
  return `${countOf(receipts, 'receipt')} of ${countOf(months.length, 'month')}`;
}
