import { creditsToJson, formatCredits } from '../../base/credits';
import { ApiError } from '../../base/errors';
import { type ProposedBatch, readAppSums, readBatch } from '../corrections';
import { type Comparison, prepareCorrections, proposeAtOnce } from '../propose-corrections';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { readText, readTolerance, withBill } from './margin';
import { alignColumns, alignFacts } from './output';

export const correctionCommands: Readonly<Record<string, Command>> = {
  'corrections propose': {
    usage:
      'corrections propose (--price-version V (--as V | --prices FILE) | --receipts | --bill FILE [--tolerance PERCENT]) --reason TEXT [--from DATE] [--to DATE]',
    summary:
      'find requests that were charged more than the rules say, and propose what users get back; they read the reason',
    options: {
      'price-version': 'text',
      as: 'text',
      prices: 'text',
      receipts: 'flag',
      bill: 'text',
      tolerance: 'text',
      from: 'text',
      to: 'text',
      reason: 'text',
    },
    needs: 'schema',
    run: proposeFrom,
  },
};

const SHOWN_REQUESTS = 20;
const SOURCES = ['price-version', 'receipts', 'bill'] as const;

async function proposeFrom(input: CommandInput): Promise<Outcome> {
  const reason = input.require('reason');
  const given = SOURCES.filter((name) => input.has(name) || input.find(name) !== undefined);
  if (given.length !== 1)
    throw new CommandRefused(`Expected one of --price-version, --receipts and --bill. Usage: ${input.usage}`);
  if (given[0] === 'bill') return proposeFromBill(input, reason);
  const days = { from: input.require('from'), to: input.find('to') };
  if (given[0] === 'receipts') return proposeAfter({ source: 'receipt', days }, reason);
  return proposeAfter(
    { source: 'price', wrongVersion: input.require('price-version'), as: await readOther(input), days },
    reason,
  );
}

async function readOther(input: CommandInput): Promise<{ version: string } | { prices: string }> {
  const [version, file] = [input.find('as'), input.find('prices')];
  if ((version === undefined) === (file === undefined))
    throw new CommandRefused(`Expected either --as or --prices. Usage: ${input.usage}`);
  return version === undefined ? { prices: await readText(file ?? '') } : { version };
}

function proposeFromBill(input: CommandInput, reason: string): Promise<Outcome> {
  if (input.find('from') !== undefined || input.find('to') !== undefined)
    throw new CommandRefused('--bill: expected no --from and --to, because the bill has its days');
  return withBill(input.require('bill'), (bill) =>
    proposeAfter({ source: 'bill', bill, ...readTolerance(input) }, reason),
  );
}

/** A refusal names the option it is about. */
async function proposeAfter(comparison: Comparison, reason: string): Promise<Outcome> {
  try {
    const prepared = await prepareCorrections(comparison, reason);
    const { uncheckable } = prepared;
    return describeProposal(
      await proposeAtOnce(prepared),
      uncheckable === 0 ? [] : [`${uncheckable} receipts name a price version that is not known`],
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null || error.param === 'reason') throw error;
    const { message } = error;
    throw new CommandRefused(
      `--${error.param.replaceAll('_', '-')}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    );
  }
}

async function describeProposal(batch: ProposedBatch | null, warnings: string[]): Promise<Outcome> {
  if (batch === null)
    return {
      json: { batch_id: null },
      text: 'Nothing to correct: no request was overcharged, or each is already in a batch.',
      warnings,
    };
  const { json, text } = await show(batch);
  const next = `Nothing is booked yet. Approve or discard it at /operator/corrections/${batch.id}`;
  return { json, text: `${text}\n\n${next}`, warnings };
}

async function show(batch: ProposedBatch): Promise<Outcome> {
  const [apps, requests] = await Promise.all([
    readAppSums(batch.id),
    readBatch(batch.id, { limit: SHOWN_REQUESTS, offset: 0 }),
  ]);
  const left = batch.requests - requests.length;
  return {
    json: {
      ...toJson(batch),
      apps: apps.map(({ partnerId, appName, requests: count, users, credits }) => ({
        partner_id: partnerId,
        name: appName,
        requests: count,
        users,
        credits: creditsToJson(credits),
      })),
      corrections: requests.map((row) => ({
        request_id: row.requestId,
        app: row.appName,
        model: row.model,
        created_at: row.at.toISOString(),
        charged_credits: creditsToJson(row.charged),
        due_credits: creditsToJson(row.due),
        credits: creditsToJson(row.credits),
        booked_at: row.bookedAt?.toISOString() ?? null,
      })),
    },
    text: [
      alignFacts({
        batch: batch.id,
        state: batch.state,
        basis: batch.basis,
        reason: batch.reason,
        requests: String(batch.requests),
        users: String(batch.users),
        credits: formatCredits(batch.credits),
      }),
      alignColumns([
        ['app', 'requests', 'users', 'credits'],
        ...apps.map((app) => [
          app.appName,
          String(app.requests),
          String(app.users),
          formatCredits(app.credits),
        ]),
      ]),
      alignColumns([
        ['request', 'model', 'charged', 'by the rules', 'back'],
        ...requests.map(({ requestId, model, charged, due, credits }) => [
          requestId,
          model,
          formatCredits(charged),
          formatCredits(due),
          formatCredits(credits),
        ]),
      ]),
      ...(left > 0 ? [`${left} more requests`] : []),
    ].join('\n\n'),
  };
}

const toJson = (batch: ProposedBatch) => ({
  batch_id: batch.id,
  source: batch.source,
  basis: batch.basis,
  reason: batch.reason,
  state: batch.state,
  requests: batch.requests,
  users: batch.users,
  credits: creditsToJson(batch.credits),
  created_at: batch.createdAt.toISOString(),
  decided_by: batch.decidedBy,
  booked_at: batch.bookedAt?.toISOString() ?? null,
});
