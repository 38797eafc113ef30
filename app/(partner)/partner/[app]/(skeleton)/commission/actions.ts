'use server';

import { z } from 'zod';
import { changeApp } from '@/server/partners/app-facts';
import { formatPercent, parsePercent } from '@/server/partners/rate';
import { cancelPlannedRate, planPartnerRate, setPartnerRate } from '@/server/partners/rates';
import { memberAction, ofApp } from '../../member-action';

const newRate = ofApp.extend({
  percent: z.string().max(20),
  /** Null: now. */
  effectiveAt: z.iso.datetime({ error: 'a complete date and time' }).nullable(),
});

export const saveRate = memberAction('rate', newRate, async (app, { percent, effectiveAt }, { userId }) => {
  const rateBp = parsePercent(percent);
  if (rateBp === null)
    return { ok: false, message: 'Enter a rate from 0 to 100% with at most two decimals', field: 'percent' };
  const asked = { app, actor: userId, what: 'app.rate' };
  if (effectiveAt === null) {
    await changeApp(asked, (tx) => setPartnerRate(app.id, rateBp, tx));
    return { ok: true, message: `The rate is now ${formatPercent(rateBp)}%` };
  }
  await changeApp(asked, (tx) => planPartnerRate(app.id, rateBp, new Date(effectiveAt), tx));
  return { ok: true, message: 'Change scheduled' };
});

export const cancelRate = memberAction('rate', ofApp, async (app, _, { userId }) =>
  (await changeApp({ app, actor: userId, what: 'app.rate_cancel' }, (tx) => cancelPlannedRate(app.id, tx)))
    ? { ok: true, message: 'Scheduled change cancelled' }
    : { ok: false, message: 'This change is already in effect' },
);
