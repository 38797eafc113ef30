'use server';

import { z } from 'zod';
import { settings } from '@/server/base/env';
import { recordTeamAction } from '@/server/partners/audit-log';
import { isCountry } from '@/server/payments/invoices/countries';
import { openDashboard } from '@/server/payments/payouts/accounts';
import { disconnectByMember, requestByMember, setUpAccount } from '@/server/payments/payouts/member-requests';
import { savePayeeDetails } from '@/server/payments/payouts/payee-details';
import { memberAction, ofApp } from '../../member-action';

const text = z.string().max(1000);

export const savePayee = memberAction(
  'payouts',
  ofApp.extend({ name: text, address: text, country: text, taxId: text, destination: text }),
  async ({ teamId }, { partnerId: _, ...given }, { userId }) => {
    const saved = await savePayeeDetails(teamId, given, (tx, { before, after }) =>
      recordTeamAction(tx, {
        teamId,
        actor: userId,
        what: 'payouts.payee',
        after,
        ...(before && { before }),
      }),
    );
    return saved.ok ? { ok: true, message: 'Payee details saved' } : saved;
  },
);

/** The page at Stripe on which the team enters what payouts need. */
export const setUpPayouts = memberAction(
  'payouts',
  ofApp.extend({ country: z.string().max(2) }),
  async ({ id, teamId }, { country }, { userId, email }) => {
    if (!isCountry(country)) return { ok: false, message: 'Choose a country', field: 'country' };
    const page = `${settings().BASE_URL}/partner/${id}/payouts/account`;
    const opened = await setUpAccount({
      teamId,
      actor: userId,
      country,
      email,
      returnUrl: page,
      refreshUrl: `${page}?expired=1`,
    });
    return opened === null
      ? { ok: false, message: 'Payouts are made manually. Enter your payee details' }
      : { ok: true, value: opened };
  },
);

/** The team's account at Stripe. */
export const openPayoutAccount = memberAction('payouts', ofApp, async ({ teamId }) => {
  const opened = await openDashboard(teamId);
  return opened === null
    ? { ok: false, message: 'There is no payout account yet' }
    : { ok: true, value: opened };
});

export const disconnectPayoutAccount = memberAction(
  'replace_account',
  ofApp,
  async ({ teamId }, _, { userId }) =>
    (await disconnectByMember({ teamId, actor: userId }))
      ? { ok: true, message: 'Payout account disconnected' }
      : { ok: false, message: 'There is no payout account yet' },
);

export const askForPayout = memberAction('payouts', ofApp, async ({ teamId }, _, { userId }) => {
  const { outcome } = await requestByMember({ teamId, actor: userId });
  return outcome === 'created'
    ? { ok: true, message: 'Payout requested' }
    : { ok: false, message: REFUSALS[outcome] };
});

const REFUSALS = {
  exists: 'There is already a payout for this month',
  below_minimum: 'The payable amount is below the minimum',
  held: 'The payouts of your team are paused',
  not_ready: 'Complete your payout account or payee details first',
  not_allowed: 'Payouts are planned once a month',
};
