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
    return { ok: false, message: 'A rate from 0 to 100 %, with two decimals at most', field: 'percent' };
  if (effectiveAt === null) {
    await setPartnerRate(app.id, rateBp);
    return { ok: true, message: `The rate is ${formatPercent(rateBp)} % from now on` };
  }
  await planPartnerRate(app.id, rateBp, new Date(effectiveAt));
  return { ok: true, message: 'Change planned' };
});

export const cancelRate = ownerAction(ofApp, async (app) =>
  (await cancelPlannedRate(app.id))
    ? { ok: true, message: 'Planned change cancelled' }
    : { ok: false, message: 'The change has taken effect meanwhile' },
);
