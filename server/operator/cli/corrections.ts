import { DAY_MS, now } from '../../base/clock';
import { creditsToJson, formatCredits } from '../../base/credits';
import { invariant } from '../../base/errors';
import { readModelPrices } from '../../gateway/pricing/catalog';
import { pricesSchema } from '../../gateway/pricing/catalog-schema';
import { findPrices } from '../../gateway/pricing/price-history';
import { readArchivedUntil } from '../../ledger';
import { findLowerBill, findLowerRows } from '../../reports/corrections/from-bill';
import { findWrongPrices } from '../../reports/corrections/from-prices';
import { findWrongReceipts } from '../../reports/corrections/from-receipts';
import { propose } from '../../reports/corrections/propose';
import type { Span } from '../../reports/corrections/read-receipts';
import type { Bill } from '../../reports/margin/read-bill';
import { findBatch, type ProposedBatch, readAppSums, readBatch } from '../corrections';
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
  const span = await readSpan(input);
  if (given[0] === 'receipts') return proposeFromReceipts(span, reason);
  return proposeFromPrices(input, span, reason);
}

async function proposeFromPrices(input: CommandInput, span: Span, reason: string): Promise<Outcome> {
  const wrong = input.require('price-version');
  const [version, file] = [input.find('as'), input.find('prices')];
  if ((version === undefined) === (file === undefined))
    throw new CommandRefused(`Expected either --as or --prices. Usage: ${input.usage}`);
  const known = await requirePrices('--price-version', wrong);
  // A file without a price of web searches leaves theirs as it is.
  const prices =
    version === undefined
      ? { webSearch: known.webSearch, ...(await readPrices(file ?? '')) }
      : await requirePrices('--as', version);
  const basis = `${wrong} at the prices of ${version ?? 'a file'}, ${inWords(span)}`;
  return describeProposal(
    await propose({ source: 'price', basis, reason }, findWrongPrices(span, wrong, prices)),
  );
}

async function proposeFromReceipts(span: Span, reason: string): Promise<Outcome> {
  const uncheckable = { count: 0 };
  const proposal = {
    source: 'receipt' as const,
    basis: `receipts, computed again, ${inWords(span)}`,
    reason,
  };
  const batchId = await propose(proposal, findWrongReceipts(span, uncheckable));
  return describeProposal(
    batchId,
    uncheckable.count === 0 ? [] : [`${uncheckable.count} receipts name a price version that is not known`],
  );
}

function proposeFromBill(input: CommandInput, reason: string): Promise<Outcome> {
  if (input.find('from') !== undefined || input.find('to') !== undefined)
    throw new CommandRefused('--bill: expected no --from and --to, because the bill has its days');
  const { tolerance, toleranceBp } = readTolerance(input);
  return withBill(input.require('bill'), async (bill) => {
    requireAmounts(bill);
    const today = dayOf(now());
    const rows = (await findLowerRows(bill, toleranceBp)).filter(({ day }) => day < today);
    const [first] = rows;
    if (first !== undefined) await requireStored('--bill', first.day);
    const days = [...new Set(rows.map(({ day }) => day))];
    const basis = `bill of ${bill.provider}, ${days[0] ?? ''} to ${days.at(-1) ?? ''}, lower by more than ${tolerance}%`;
    const batchId =
      rows.length === 0
        ? null
        : await propose({ source: 'bill', basis, reason }, findLowerBill(bill.provider, rows));
    return describeProposal(batchId);
  });
}

/** What is missing in a bill would look like something that was not billed. */
function requireAmounts({ hasMore, lines }: Bill): void {
  if (hasMore) throw new CommandRefused('--bill: expected all pages of the export, as a JSON list');
  if (lines.some(({ billed }) => typeof billed !== 'bigint'))
    throw new CommandRefused('--bill: expected an export of costs, because one of usage contains no amounts');
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const inWords = ({ from, to }: Span): string => `${from} to ${to}`;

async function readSpan(input: CommandInput): Promise<Span> {
  const from = readDay(input, 'from', input.require('from'));
  const to = readDay(input, 'to', input.find('to') ?? dayOf(now()));
  if (to < from || Date.parse(to) > now() + DAY_MS)
    throw new CommandRefused(`--to: expected a day from ${from} to today, got "${to}"`);
  await requireStored('--from', from);
  return { from, to };
}

function readDay(input: CommandInput, name: string, text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)) || dayOf(Date.parse(text)) !== text)
    throw new CommandRefused(
      `--${name}: expected a date such as 2026-11-21, got "${text}". Usage: ${input.usage}`,
    );
  return text;
}

/** What is archived is final. */
async function requireStored(option: string, day: string): Promise<void> {
  const until = await readArchivedUntil();
  if (until !== null && day < until)
    throw new CommandRefused(
      `${option}: receipts before ${until} are archived and can no longer be corrected; give those users credits instead`,
    );
}

async function requirePrices(option: string, version: string) {
  const prices = await findPrices(version);
  if (prices === null)
    throw new CommandRefused(
      `${option}: there is no price version "${version}". Receipts and the operator's page of a model name it`,
    );
  return prices;
}

/** USD per million tokens, as in the catalogue. */
async function readPrices(file: string) {
  const text = await readText(file);
  const { success, data, error } = pricesSchema.safeParse(parseJson(file, text));
  if (!success) {
    const [issue] = error.issues;
    throw new CommandRefused(`${file}: ${issue?.path.join('.') || 'the prices'}: expected ${issue?.message}`);
  }
  if (data.offPeak !== undefined)
    throw new CommandRefused(`${file}: offPeak: expected one price, because off-peak prices are versions`);
  return readModelPrices(data);
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused(`${file}: expected JSON such as {"input": "1.25", "output": "10"}`);
  }
}

async function describeProposal(batchId: string | null, warnings: string[] = []): Promise<Outcome> {
  if (batchId === null)
    return {
      json: { batch_id: null },
      text: 'Nothing to correct: no request was overcharged, or each is already in a batch.',
      warnings,
    };
  const { json, text } = await show(batchId);
  const next = `Nothing is booked yet. Approve or discard it at /operator/corrections/${batchId}`;
  return { json, text: `${text}\n\n${next}`, warnings };
}

async function show(batchId: string): Promise<Outcome> {
  const [batch, apps, requests] = await Promise.all([
    findBatch(batchId),
    readAppSums(batchId),
    readBatch(batchId, { limit: SHOWN_REQUESTS, offset: 0 }),
  ]);
  invariant(batch !== null, 'a proposal has a batch');
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
