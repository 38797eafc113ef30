'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import type { ActionResult } from '@/app/_ui/action-result';
import { ApiError } from '@/server/base/errors';
import {
  type Comparison,
  type Preview,
  prepareCorrections,
  previewCorrections,
  proposeCorrections,
} from '@/server/operator/propose-corrections';
import { parsePercent } from '@/server/partners/rate';
import { readBill, UnreadableBill } from '@/server/reports/margin/read-bill';
import { inCredits, inNumber } from '../../write-amounts';
import { type AppRow, type CorrectionRow, toAppRow, toCorrectionRow } from '../correction-rows';

const SHOWN_REQUESTS = 20;
/** What a server action accepts, in characters. */
const MAX_BILL = 900_000;

const text = z.string().max(500);

const form = z.object({
  source: z.enum(['price', 'receipt', 'bill']),
  priceVersion: text,
  asVersion: text,
  prices: z.string().max(5000),
  from: text,
  to: text,
  bill: z.string().max(MAX_BILL),
  tolerance: text,
  reason: z.string().max(600),
});
export type CorrectionForm = z.input<typeof form>;

export type Checked = {
  batchId: string;
  users: string;
  requests: string;
  credits: string;
  basis: string;
  apps: AppRow[];
  examples: CorrectionRow[];
  uncheckable: number;
};

/** Books and proposes nothing: what it finds is forgotten after a day. */
export const check = operatorAction(form, async (_, given): Promise<ActionResult<Checked | null>> => {
  const { batchId, uncheckable } = await prepareCorrections(readComparison(given), given.reason);
  const preview = batchId && (await previewCorrections(batchId, SHOWN_REQUESTS));
  return { ok: true, value: preview ? { ...describe(preview), uncheckable } : null };
});

function readComparison({ source, from, to, ...given }: CorrectionForm): Comparison {
  const days = { from, to: to === '' ? undefined : to };
  if (source === 'receipt') return { source, days };
  if (source === 'price') {
    const { priceVersion: wrongVersion, asVersion: version, prices } = given;
    if (version === '' && prices === '')
      throw new ApiError('invalid_request', 'Enter a version or prices', { param: 'as' });
    return { source, wrongVersion, as: version === '' ? { prices } : { version }, days };
  }
  const toleranceBp = parsePercent(given.tolerance);
  if (toleranceBp === null)
    throw new ApiError('invalid_request', 'Enter a percentage such as 2', { param: 'tolerance' });
  return { source, bill: readBillText(given.bill), toleranceBp, tolerance: given.tolerance };
}

function readBillText(bill: string) {
  try {
    return readBill(bill);
  } catch (error) {
    if (!(error instanceof UnreadableBill)) throw error;
    throw new ApiError('invalid_request', `The file cannot be read: ${error.message}`, { param: 'bill' });
  }
}

const describe = ({ batch, apps, requests }: Preview) => ({
  batchId: batch.id,
  users: inNumber(batch.users),
  requests: inNumber(batch.requests),
  credits: inCredits(batch.credits),
  basis: batch.basis,
  apps: apps.map(toAppRow),
  examples: requests.map(toCorrectionRow),
});

export const propose = operatorAction(
  z.object({ batchId: z.string().max(100) }),
  async ({ email: operator }, { batchId }) => {
    if (!(await proposeCorrections(operator, batchId)))
      throw new ApiError('invalid_request', 'Nothing is left to correct: other proposals contain all of it');
    revalidatePath('/operator/corrections', 'layout');
    return { ok: true, message: 'Proposed: another operator can approve it' };
  },
);
