import { DAY_MS, now, nowDate } from '../base/clock';
import { inSlowTransaction } from '../base/db';
import { ApiError, invariant } from '../base/errors';
import { readModelPrices } from '../gateway/pricing/catalog';
import { isPriced, pricesSchema } from '../gateway/pricing/catalog-schema';
import { findPrices } from '../gateway/pricing/price-history';
import { closeProposal, readArchivedUntil } from '../ledger';
import { findLowerBill, findLowerRows } from '../reports/corrections/from-bill';
import { findWrongPrices } from '../reports/corrections/from-prices';
import { findWrongReceipts } from '../reports/corrections/from-receipts';
import { prepareProposal } from '../reports/corrections/propose';
import type { Span } from '../reports/corrections/read-receipts';
import type { Bill } from '../reports/margin/read-bill';
import {
  type AppSums,
  findBatch,
  type ProposedBatch,
  type ProposedCorrection,
  readAppSums,
  readBatch,
  SHOWN_BATCH,
} from './corrections';
import type { Operator } from './record';

/** What charges are compared with to find those that were too high. */
export type Comparison =
  | {
      source: 'price';
      wrongVersion: string;
      /** The prices of another version, or as JSON, as in the catalogue. */
      as: { version: string } | { prices: string };
      days: TypedDays;
    }
  | { source: 'receipt'; days: TypedDays }
  | { source: 'bill'; bill: Bill; toleranceBp: number; tolerance: string };

/** As typed: without `to`, until today. */
type TypedDays = { from: string; to: string | undefined };

type Prepared = {
  /** Null if no request was overcharged, or each is already in a batch. */
  batchId: string | null;
  /** Receipts whose price version is not known. */
  uncheckable: number;
};

/** Finds what users would get back and stores it as a batch that counts for nothing until it is proposed. */
export async function prepareCorrections(comparison: Comparison, reason: string): Promise<Prepared> {
  switch (comparison.source) {
    case 'price':
      return fromPrices(comparison, reason);
    case 'receipt':
      return fromReceipts(await readSpan(comparison.days), reason);
    case 'bill':
      return fromBill(comparison, reason);
  }
}

type ByPrice = Extract<Comparison, { source: 'price' }>;

async function fromPrices({ wrongVersion, as, days }: ByPrice, reason: string): Promise<Prepared> {
  const span = await readSpan(days);
  const known = await requirePrices('price_version', wrongVersion);
  // Prices without one of web searches or units leave theirs as it is.
  const prices =
    'version' in as
      ? await requirePrices('as', as.version)
      : {
          webSearch: known.webSearch,
          inputUnit: known.inputUnit,
          outputUnit: known.outputUnit,
          ...readPrices(as.prices),
        };
  const basis = `${wrongVersion} at the prices of ${'version' in as ? as.version : 'a file'}, ${inWords(span)}`;
  const proposal = { source: 'price' as const, basis, reason };
  return {
    batchId: await prepareProposal(proposal, findWrongPrices(span, wrongVersion, prices)),
    uncheckable: 0,
  };
}

async function fromReceipts(span: Span, reason: string): Promise<Prepared> {
  const uncheckable = { count: 0 };
  const basis = `receipts, computed again, ${inWords(span)}`;
  const batchId = await prepareProposal(
    { source: 'receipt', basis, reason },
    findWrongReceipts(span, uncheckable),
  );
  return { batchId, uncheckable: uncheckable.count };
}

type ByBill = Extract<Comparison, { source: 'bill' }>;

async function fromBill({ bill, toleranceBp, tolerance }: ByBill, reason: string): Promise<Prepared> {
  requireAmounts(bill);
  const today = dayOf(now());
  const rows = (await findLowerRows(bill, toleranceBp)).filter(({ day }) => day < today);
  const [first] = rows;
  if (first === undefined) return { batchId: null, uncheckable: 0 };
  await requireStored('bill', first.day);
  const basis = `bill of ${bill.provider}, ${first.day} to ${rows.at(-1)?.day ?? ''}, lower by more than ${tolerance}%`;
  const batchId = await prepareProposal(
    { source: 'bill', basis, reason },
    findLowerBill(bill.provider, rows),
  );
  return { batchId, uncheckable: 0 };
}

/** What is missing in a bill would look like something that was not billed. */
function requireAmounts({ hasMore, lines }: Bill): void {
  if (hasMore) throw refuse('bill', 'Expected all pages of the export, as a JSON list');
  if (lines.some(({ billed }) => typeof billed !== 'bigint'))
    throw refuse('bill', 'Expected an export of costs, because one of usage contains no amounts');
}

async function readSpan({ from, to = dayOf(now()) }: TypedDays): Promise<Span> {
  const span = { from: readDay('from', from), to: readDay('to', to) };
  if (span.to < span.from || Date.parse(span.to) > now() + DAY_MS)
    throw refuse('to', `Expected a day from ${from} to today, got "${to}"`);
  await requireStored('from', span.from);
  return span;
}

function readDay(param: string, text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)) || dayOf(Date.parse(text)) !== text)
    throw refuse(param, `Expected a date such as 2026-11-21, got "${text}"`);
  return text;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const inWords = ({ from, to }: Span): string => `${from} to ${to}`;

/** What is archived is final. */
async function requireStored(param: string, day: string): Promise<void> {
  const until = await readArchivedUntil();
  if (until !== null && day < until)
    throw refuse(
      param,
      `Receipts before ${until} are archived and can no longer be corrected; give those users credits instead`,
    );
}

async function requirePrices(param: string, version: string) {
  const prices = await findPrices(version);
  if (prices === null)
    throw refuse(
      param,
      `There is no price version "${version}". Receipts and the operator's page of a model name it`,
    );
  return prices;
}

/** USD per million tokens, as in the catalogue. */
function readPrices(text: string) {
  const { success, data, error } = pricesSchema.safeParse(parseJson(text));
  if (!success) {
    const [issue] = error.issues;
    throw refuse('prices', `${issue?.path.join('.') || 'The prices'}: expected ${issue?.message}`);
  }
  if (!isPriced(data)) throw refuse('prices', 'input: expected a price above zero');
  if (data.offPeak !== undefined)
    throw refuse('prices', 'offPeak: expected one price, because off-peak prices are versions');
  if (data.resolutions !== undefined)
    throw refuse('prices', 'resolutions: expected one price, because that of each resolution is a version');
  return readModelPrices(data);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('prices', 'Expected JSON such as {"input": "1.25", "output": "10"}');
  }
}

const refuse = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

export type Preview = { batch: ProposedBatch; apps: AppSums[]; requests: ProposedCorrection[] };

class RolledBack extends Error {}

/** What a prepared batch would propose now; null if nothing. The proposal is made and undone. */
export async function previewCorrections(batchId: string, shown: number): Promise<Preview | null> {
  let preview: Preview | null = null;
  try {
    await inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
      await client.query('SELECT ledger_close_proposal($1)', [batchId]);
      const { rows } = await client.query<ProposedBatch>(`${SHOWN_BATCH} AND id = $1`, [batchId]);
      if (rows[0] !== undefined)
        preview = {
          batch: rows[0],
          apps: await readAppSums(batchId, client),
          requests: await readBatch(batchId, { limit: shown, offset: 0 }, client),
        };
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return preview;
}

/** Proposes a prepared batch, for another operator to approve. Returns false if nothing is left to correct. */
export function proposeCorrections(operator: Operator, batchId: string): Promise<boolean> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    const { rowCount } = await client.query(
      "SELECT FROM correction_batch WHERE id = $1 AND state = 'preparing' FOR UPDATE",
      [batchId],
    );
    if (rowCount !== 1)
      throw new ApiError('not_found', 'This check is older than a day, or was proposed before. Check again.');
    await client.query('SELECT ledger_close_proposal($1)', [batchId]);
    const { rows } = await client.query<ProposedBatch>(`${SHOWN_BATCH} AND id = $1`, [batchId]);
    const [batch] = rows;
    if (batch === undefined) return false;
    // In the same transaction, whose long statement Prisma would not wait for.
    await client.query(
      `INSERT INTO audit_entry (at, actor, what, subject, reason, after)
       VALUES ($1, $2, 'correction.propose', $3, $4, $5)`,
      [
        nowDate(),
        operator,
        batchId,
        batch.reason,
        { basis: batch.basis, requests: batch.requests, users: batch.users },
      ],
    );
    return true;
  });
}

/** The same without a preview, for a command. */
export async function proposeAtOnce({ batchId }: Prepared): Promise<ProposedBatch | null> {
  if (batchId === null || !(await closeProposal(batchId))) return null;
  const batch = await findBatch(batchId);
  invariant(batch !== null, 'a proposal has a batch');
  return batch;
}
