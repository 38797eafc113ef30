'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { changePartner, type PartnerChange } from '@/server/operator/change-partner';
import { parsePercent } from '@/server/partners/rate';

const ofApp = z.object({ partnerId: z.string().max(100), reason: z.string().max(600) });

const DONE = { approve: 'Approved', decline: 'Declined', disable: 'Disabled', enable: 'Enabled' } as const;

type Actor = { email: string };

async function act({ email }: Actor, partnerId: string, reason: string, change: PartnerChange) {
  await changePartner({ operator: email, partnerId, reason, change });
  revalidatePath(`/operator/apps/${partnerId}`);
}

export const changeState = operatorAction(
  ofApp.extend({ what: z.enum(['approve', 'decline', 'disable', 'enable']) }),
  async (session, { partnerId, reason, what }) => {
    await act(session, partnerId, reason, { do: what });
    return { ok: true, message: DONE[what] };
  },
);

const NAME_DONE = { name_approve: 'Name approved', name_decline: 'Name declined' } as const;

export const reviewName = operatorAction(
  ofApp.extend({ what: z.enum(['name_approve', 'name_decline']), name: z.string().max(200) }),
  async (session, { partnerId, reason, what, name }) => {
    await act(session, partnerId, reason, { do: what, name });
    return { ok: true, message: NAME_DONE[what] };
  },
);

const PROFILE_DONE = { profile_approve: 'Profile approved', profile_decline: 'Profile declined' } as const;

export const reviewProfile = operatorAction(
  ofApp.extend({ what: z.enum(['profile_approve', 'profile_decline']), hash: z.string().max(64) }),
  async (session, { partnerId, reason, what, hash }) => {
    await act(session, partnerId, reason, { do: what, hash });
    return { ok: true, message: PROFILE_DONE[what] };
  },
);

export const setCap = operatorAction(
  ofApp.extend({ percent: z.string().max(20) }),
  async (session, { partnerId, reason, percent }) => {
    const rateCapBp = parsePercent(percent);
    if (rateCapBp === null) {
      throw new ApiError('invalid_request', 'Enter a percentage from 0 to 100 with at most two decimals', {
        param: 'percent',
      });
    }
    await act(session, partnerId, reason, { do: 'rate_cap', rateCapBp });
    return { ok: true, message: 'Rate cap saved' };
  },
);

const MAX_HOLD_DAYS = 365;

export const setHold = operatorAction(
  ofApp.extend({ days: z.string().max(20) }),
  async (session, { partnerId, reason, days: given }) => {
    const text = given.trim();
    const days = text === '' ? null : Number(text);
    if (text !== '' && (!/^\d+$/.test(text) || Number(text) > MAX_HOLD_DAYS)) {
      throw new ApiError('invalid_request', `Enter a number of days from 0 to ${MAX_HOLD_DAYS}, or nothing`, {
        param: 'days',
      });
    }
    await act(session, partnerId, reason, { do: 'earnings_hold', days });
    return { ok: true, message: 'Maturity period saved' };
  },
);

export const setModels = operatorAction(
  ofApp.extend({ models: z.string().max(20_000).nullable() }),
  async (session, { partnerId, reason, models }) => {
    const chosen = models === null ? null : readModels(models);
    await act(session, partnerId, reason, { do: 'models', models: chosen });
    return { ok: true, message: 'Models saved' };
  },
);

function readModels(text: string): string[] {
  const models = [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))];
  const unknown = models.find((id) => findCatalogModel(id) === null);
  if (models.length === 0 || unknown !== undefined) {
    throw new ApiError(
      'invalid_request',
      unknown === undefined ? 'Enter at least one model' : `Unknown model: ${unknown}`,
      { param: 'models' },
    );
  }
  return models;
}
