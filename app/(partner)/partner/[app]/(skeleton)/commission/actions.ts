'use server';

import { z } from 'zod';
import { formatPercent, parsePercent } from '@/server/partners/rate';
import { cancelPlannedRate, planPartnerRate, setPartnerRate } from '@/server/partners/rates';
import { ofApp, ownerAction } from '../../owner-action';

const change = ofApp.extend({
  percent: z.string().max(20),
  /** Null: now. */
  effectiveAt: z.iso.datetime({ error: 'a complete date and time' }).nullable(),
});

export const saveRate = ownerAction(change, async (app, { percent, effectiveAt }) => {
  const rateBp = parsePercent(percent);
  if (rateBp === null)
    return { ok: false, message: 'Enter a rate from 0 to 100% with at most two decimals', field: 'percent' };
  if (effectiveAt === null) {
    await setPartnerRate(app.id, rateBp);
    return { ok: true, message: `The rate is now ${formatPercent(rateBp)}%` };
  }
  await planPartnerRate(app.id, rateBp, new Date(effectiveAt));
  return { ok: true, message: 'Change scheduled' };
});

export const cancelRate = ownerAction(ofApp, async (app) =>
  (await cancelPlannedRate(app.id))
    ? { ok: true, message: 'Scheduled change cancelled' }
    : { ok: false, message: 'This change is already in effect' },
);
