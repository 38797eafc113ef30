import { describe, expect, it } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { seal } from '@/server/base/seal';
import { capture, openProposal, writeProposal } from '@/server/ledger';
import { allowPurchasesAs, blockPurchasesAs } from '@/server/operator/block-purchases';
import { giveCredits, takeCreditsAway } from '@/server/operator/change-credits';
import { changeDefaultLimits, changePartner, type PartnerChange } from '@/server/operator/change-partner';
import {
  changePayout,
  changeTeamPayouts,
  planAgain,
  reversePayout,
  viewDestination,
} from '@/server/operator/change-payouts';
import { runCommand } from '@/server/operator/cli/run';
import { decideCorrections } from '@/server/operator/corrections';
import { dismissAlert, refundByOperator } from '@/server/operator/handle-payments';
import { resumeUserAs } from '@/server/operator/overruns';
import { createGiftLinks, createPromotion, disablePromotion } from '@/server/operator/promotions';
import { proposeCorrections } from '@/server/operator/propose-corrections';
import type { ActionName } from '@/server/operator/record';
import { OPERATOR_ACTIONS } from '@/server/partners/audit-log';
import { createPartner } from '@/server/partners/partner';
import { readProfiles, saveProfile } from '@/server/partners/profile';
import { fulfil } from '@/server/payments/checkout/fulfil';
import { readPayment } from '@/server/payments/payouts/record-manual';
import { sendPayouts } from '@/server/payments/payouts/send';
import { newDatabase } from '../harness';
import { newPerson } from '../harness/people';
import { receipt } from '../ledger/receipt';
import { buy as buyCredits, exactly, hold, newWallet } from '../ledger/wallets';
import { CheckoutWindow, payByCard, setWebhooks, startCheckout } from '../payments/checkout/checkout-world';
import { newPayout } from '../payments/payouts/payout-in-state';
import { newPlannedPayout } from '../payments/payouts/payout-world';

/** Every operator action, and the audit entries that it writes. */

await newDatabase();
const world = await startCheckout();

const OPERATOR = 'boss@example.com';
const COMMAND_LINE = 'command line';
const reason = 'agreed by telephone';
const request = { operator: OPERATOR, reason };

type Entry = { what: ActionName; subject: string; before?: unknown; after?: unknown };
type Action = { by: string; action: string; run: () => Promise<Entry[]> };

async function newApp(isPending = false): Promise<string> {
  return (await createPartner({ name: 'Notes', rateBp: 2500, origins: [], isPending })).id;
}

/** Matches an audit entry with these changes, whatever else it contains. */
const entry = (what: ActionName, subject: string, before?: object, after?: object): Entry => ({
  what,
  subject,
  ...(before && { before: expect.objectContaining(before) }),
  ...(after && { after: expect.objectContaining(after) }),
});

const inConsole = (change: PartnerChange, before: object, after: object, isPending = false): Action => ({
  by: OPERATOR,
  action: `app: ${change.do}`,
  run: async () => {
    const partnerId = await newApp(isPending);
    await changePartner({ ...request, partnerId, change });
    return [entry(`app.${change.do}`, partnerId, before, after)];
  },
});

async function svc(...words: string[]): Promise<{ partner_id: string }> {
  const printed: string[] = [];
  const output = { out: (text: string) => printed.push(text), err: (text: string) => printed.push(text) };
  const status = await runCommand([...words, '--reason', reason, '--json'], output);
  if (status !== 0) throw new Error(printed.join('\n'));
  return JSON.parse(printed.join(''));
}

const byCommand = (what: ActionName, words: string[], before: object, after: object): Action => ({
  by: COMMAND_LINE,
  action: `partner ${words.join(' ')}`,
  run: async () => {
    const partnerId = await newApp();
    const [verb = '', ...rest] = words;
    await svc('partner', verb, partnerId, ...rest);
    return [entry(what, partnerId, before, after)];
  },
});

const NO_LIMITS = { day: null, month: null, request: null, models: null };

const ACTIONS: Action[] = [
  inConsole({ do: 'approve' }, { state: 'pending' }, { state: 'enabled' }, true),
  inConsole({ do: 'decline' }, { state: 'pending' }, { state: 'declined' }, true),
  ...(['name_approve', 'name_decline'] as const).map((what) => ({
    by: OPERATOR,
    action: `app: ${what}`,
    run: async () => {
      const [partnerId, name] = [await newApp(), `New name to ${what.slice(5)}`];
      await prisma().partner.update({ where: { id: partnerId }, data: { pendingName: name } });
      await changePartner({ ...request, partnerId, change: { do: what, name } });
      const after = { name: what === 'name_approve' ? name : 'Notes', pending_name: null };
      return [entry(`app.${what}`, partnerId, { name: 'Notes', pending_name: name }, after)];
    },
  })),
  ...(['profile_approve', 'profile_decline'] as const).map((what) => ({
    by: OPERATOR,
    action: `app: ${what}`,
    run: async () => {
      const partnerId = await newApp();
      await inTransaction((tx) => saveProfile(tx, partnerId, { site: 'https://notes.example', support: '' }));
      const { pending } = await readProfiles(partnerId);
      const hash = pending?.hash ?? expect.fail();
      await changePartner({ ...request, partnerId, change: { do: what, hash } });
      const approved = what === 'profile_approve' ? hash : null;
      return [
        entry(
          `app.${what}`,
          partnerId,
          { profile: null, pending_profile: hash },
          { profile: approved, pending_profile: null },
        ),
      ];
    },
  })),
  inConsole({ do: 'disable' }, { state: 'enabled' }, { state: 'disabled' }),
  inConsole({ do: 'enable' }, { state: 'pending' }, { state: 'enabled' }, true),
  inConsole({ do: 'rate_cap', rateCapBp: 2000 }, { rate: 25, rate_cap: 100 }, { rate: 20, rate_cap: 20 }),
  inConsole({ do: 'earnings_hold', days: 120 }, { earnings_hold_days: null }, { earnings_hold_days: 120 }),
  inConsole(
    { do: 'limit_ceiling', limits: { ...NO_LIMITS, month: wholeCredits(2_000) } },
    { limit_ceiling: null },
    { limit_ceiling: '2000 credits per month' },
  ),
  {
    by: OPERATOR,
    action: 'changes the default limits and removes them',
    run: async () => {
      await changeDefaultLimits(request, { ...NO_LIMITS, day: wholeCredits(50) });
      await changeDefaultLimits(request, NO_LIMITS);
      const limits = { user_limits: '50 credits per day' };
      return [
        entry('app.limit_default', 'all apps', { user_limits: null }, limits),
        entry('app.limit_default', 'all apps', limits, { user_limits: null }),
      ];
    },
  },
  inConsole({ do: 'models', models: ['sandbox/echo'] }, { models: 'all' }, { models: ['sandbox/echo'] }),
  byCommand('app.disable', ['disable'], { state: 'enabled' }, { state: 'disabled' }),
  byCommand('app.rate', ['set-rate', '30'], { rate: 25 }, { rate: 30 }),
  byCommand(
    'app.models',
    ['models', '--allow', 'sandbox/echo'],
    { models: 'all' },
    { models: ['sandbox/echo'] },
  ),
  byCommand('app.key', ['rotate-key'], {}, { publishable_key: expect.stringMatching(/^svc_pk_/) }),
  byCommand('app.owner', ['owner', 'new@example.com'], { owner: null }, { owner: 'n•••@example.com' }),
  byCommand(
    'app.origins',
    ['origins', '--add', 'https://a.example'],
    { origins: [] },
    { origins: ['https://a.example'] },
  ),
  byCommand(
    'app.redirects',
    ['redirects', '--add', 'https://a.example/back'],
    { redirects: [] },
    { redirects: ['https://a.example/back'] },
  ),
  byCommand('app.webhook', ['webhook', '--clear'], { webhook: null }, { webhook: null }),
  {
    by: COMMAND_LINE,
    action: 'partner create',
    run: async () => {
      const { partner_id } = await svc('partner', 'create', '--name', 'Made', '--rate', '12.5');
      return [entry('app.create', partner_id, undefined, { name: 'Made', rate: 12.5, state: 'enabled' })];
    },
  },
  {
    by: OPERATOR,
    action: 'gives and takes credits',
    run: async () => {
      const { userId, partnerId } = await newPerson();
      const change = (credits: number) => ({
        ...request,
        userId,
        partnerId,
        credits: wholeCredits(credits),
        changeId: newId('req'),
      });
      await giveCredits(change(30));
      await takeCreditsAway(change(15));
      return [
        entry('credits.give', userId, undefined, { credits: 30, app: partnerId }),
        entry('credits.take', userId, undefined, { credits: 15, app: partnerId }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'refunds a purchase in part',
    run: async () => {
      const { purchaseId, userId } = await buy();
      const refund = { ...request, purchaseId, amount: 4, refundId: newId('req') };
      expect(await refundByOperator(refund)).toMatchObject({ refundedMinor: 400, leftMinor: 600 });
      const before = { purchase: purchaseId, currency: 'usd', paid: 10, refunded: 0 };
      return [
        entry('purchase.refund_asked', userId, before, { amount: 4 }),
        entry('purchase.refunded', userId, before, { refunded: 4 }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'resumes a user and an app',
    run: async () => {
      const { userId, partnerId } = await newPerson();
      await prisma().wallet.update({ where: { userId }, data: { pausedAt: new Date() } });
      await prisma().partner.update({ where: { id: partnerId }, data: { pausedAt: new Date() } });
      await resumeUserAs(OPERATOR, userId, reason);
      await changePartner({ ...request, partnerId, change: { do: 'resume' } });
      return [
        entry('user.resume', userId, { paused: true }, { paused: false }),
        entry('app.resume', partnerId, { paused: true }, { paused: false }),
      ];
    },
  },
  {
    by: COMMAND_LINE,
    action: 'user passkeys --remove-all',
    run: async () => {
      const { userId } = await newPerson();
      const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
      const passkey = { userId, userHandle: '', publicKey: new Uint8Array(), counter: 0, name: 'Laptop' };
      await prisma().passkey.create({ data: { ...passkey, id: newId('psk'), credentialId: newId('psk') } });
      await svc('user', 'passkeys', email, '--remove-all');
      return [entry('user.passkeys', userId, { passkeys: 1 }, { passkeys: 0 })];
    },
  },
  {
    by: OPERATOR,
    action: 'dismisses an alert',
    run: async () => {
      const id = newId('req');
      await prisma().paymentAlert.create({
        data: { id, kind: 'dispute', sessionId: newId('cks'), detail: 'fraudulent' },
      });
      await dismissAlert({ ...request, alertId: id });
      return [entry('payment.dismiss', id)];
    },
  },
  {
    by: COMMAND_LINE,
    action: 'payments reconcile --credit',
    run: async () => {
      const { sessionId, userId } = await payLate();
      await svc('payments', 'reconcile', '--credit');
      return [entry('payment.credit', userId, undefined, { session: sessionId, paid: 10, credits: 1000 })];
    },
  },
  {
    by: OPERATOR,
    action: 'creates a gift with links and disables it',
    run: async () => {
      const offer = { kind: 'gift' as const, credits: wholeCredits(50) };
      const { id } = await createPromotion(request, offer);
      await createGiftLinks(request, { promotionId: id, count: 2 });
      await disablePromotion(request, id);
      return [
        entry('promotion.create', id, undefined, { kind: 'gift', credits: 50 }),
        entry('promotion.links', id, undefined, { links: 2 }),
        entry('promotion.disable', id, { state: 'enabled' }, { state: 'disabled' }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'proposes corrections',
    run: async () => {
      const batchId = await prepareBatch();
      await proposeCorrections(OPERATOR, batchId);
      return [entry('correction.propose', batchId, undefined, { basis: 'a test', requests: 1, users: 1 })];
    },
  },
  {
    by: OPERATOR,
    action: 'approves one batch of corrections and discards another',
    run: async () => {
      const [approved, discarded] = [await newBatch(), await newBatch()];
      await decideCorrections({ ...request, batchId: approved, decision: 'approve' });
      await decideCorrections({ ...request, batchId: discarded, decision: 'discard' });
      const before = { state: 'proposed' };
      return [
        entry('correction.approve', approved, before, {
          state: 'approved',
          requests: 2,
          users: 1,
          credits: 3,
        }),
        entry('correction.discard', discarded, before, { state: 'discarded', credits: 3 }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'approves, holds, releases and records a payout by hand, which comes back',
    run: async () => {
      const { id } = await newPayout({ state: 'planned', method: 'manual', isApproved: false });
      const given = { reference: 'SEPA 1', currency: 'eur', amount: '115', rate: '0.92', date: '' };
      for (const what of ['approve', 'hold', 'release'] as const)
        await changePayout({ ...request, payoutId: id, change: { do: what } });
      await changePayout({ ...request, payoutId: id, change: { do: 'sent', payment: readPayment(given) } });
      await changePayout({ ...request, payoutId: id, change: { do: 'returned' } });
      const paid = { state: 'sent', reference: 'SEPA 1', currency: 'eur', paid_minor: 11_500, rate: '0.92' };
      return [
        entry('payout.approve', id, { approved: false }, { approved: true }),
        entry('payout.hold', id, { held: false }, { held: true }),
        entry('payout.release', id, { held: true }, { held: false }),
        entry('payout.sent', id, { state: 'planned', reference: null }, paid),
        entry('payout.returned', id, { state: 'sent' }, { state: 'returned' }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'ends a payout that cannot be made, and sends one that waits for balance',
    run: async () => {
      const { id: failed } = await newPayout({ state: 'planned', method: 'manual' });
      const { id: waiting } = await newPayout({ state: 'waiting_for_balance', method: 'stripe' });
      await changePayout({ ...request, payoutId: failed, change: { do: 'failed' } });
      await changePayout({ ...request, payoutId: waiting, change: { do: 'send_now' } });
      await prisma().payout.update({ where: { id: waiting }, data: { heldAt: new Date() } });
      return [
        entry('payout.failed', failed, { state: 'planned' }, { state: 'failed' }),
        entry('payout.send_now', waiting, { state: 'waiting_for_balance' }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'reverses a payout by Stripe',
    run: async () => {
      const { payoutId } = await newPlannedPayout(500);
      await sendPayouts();
      await reversePayout({ ...request, payoutId });
      return [
        entry('payout.reverse_asked', payoutId),
        entry('payout.reversed', payoutId, { state: 'sent' }, { state: 'returned' }),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'blocks the purchases of a user, and allows them again',
    run: async () => {
      const { userId } = await newPerson();
      await blockPurchasesAs({ ...request, userIds: [userId] });
      await allowPurchasesAs({ ...request, userId });
      const [allowed, blocked] = [{ purchases: 'allowed' }, { purchases: 'blocked' }];
      return [
        entry('user.block_purchases', userId, allowed, blocked),
        entry('user.allow_purchases', userId, blocked, allowed),
      ];
    },
  },
  {
    by: OPERATOR,
    action: 'holds a team, releases it, changes its terms and plans its payout again',
    run: async () => {
      const { teamId } = await newPayout({ state: 'failed', method: 'manual' });
      const change = { ...request, teamId };
      await changeTeamPayouts({ ...change, change: { do: 'hold' } });
      await changeTeamPayouts({ ...change, change: { do: 'release' } });
      const terms = { minimum: wholeCredits(5_000), reserve: wholeCredits(1_000) };
      await changeTeamPayouts({ ...change, change: { do: 'terms', terms } });
      await expect(planAgain(change)).rejects.toThrow();
      return [
        entry('team.hold', teamId, { held: false }, { held: true }),
        entry('team.release', teamId, { held: true }, { held: false }),
        entry('team.terms', teamId, { minimum: null, reserve: 0 }, { minimum: 50, reserve: 10 }),
        entry('payout.again', teamId),
      ];
    },
  },
];

/** The correction of a request of 4 credits, which the rules say costs 1. */
async function prepareBatch(): Promise<string> {
  const wallet = await newWallet(['A']);
  await buyCredits(wallet, 'A', 10);
  const admission = await hold(wallet, 'A', 4, 4);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  const { requestId, userId, partnerId } = admission.hold;
  await capture(admission.hold, chargeFor(exactly(4), 0), receipt());
  const batchId = await openProposal({ source: 'receipt', basis: 'a test', reason });
  const due = { charge: wholeCredits(1), providerCost: wholeCredits(1) };
  await writeProposal(batchId, [{ requestId, userId, partnerId, ...due }]);
  return batchId;
}

async function newBatch(): Promise<string> {
  const id = newId('cor');
  const sums = { requests: 2, users: 1, credits: wholeCredits(3) };
  const words = { source: 'price', basis: 'a test', reason: 'The price was wrong.' };
  await prisma().correctionBatch.create({
    data: { id, ...words, ...sums, state: 'proposed', createdAt: new Date() },
  });
  return id;
}

/** Pays for a checkout session that has expired here. */
async function payLate(): Promise<{ sessionId: string; userId: string }> {
  await setWebhooks(world, 'hold');
  const window = await CheckoutWindow.open(world);
  await window.signIn('late@example.com');
  const { session_id: id, payment } = await window.startPayment({ amount: 10 });
  await payByCard(payment.embed_url);
  const { userId } = await prisma().checkoutSession.update({ where: { id }, data: { status: 'expired' } });
  return { sessionId: id, userId };
}

async function buy(): Promise<{ purchaseId: string; userId: string }> {
  const window = await CheckoutWindow.open(world);
  await window.signIn('buyer@example.com');
  const { session_id, payment } = await window.startPayment({ amount: 10 });
  await payByCard(payment.embed_url);
  await fulfil(session_id);
  const { id, userId } = await prisma().purchase.findUniqueOrThrow({ where: { sessionId: session_id } });
  return { purchaseId: id, userId };
}

it('a look at the destination of a payout is recorded with who looked', async () => {
  const { id, teamId } = await newPayout({ state: 'planned', method: 'manual' });
  const destination = seal('AT61 1904 3002 3457 3201', `payee ${teamId}`);
  await prisma().payeeDetails.create({
    data: { teamId, name: 'Ada', address: ['Street 1'], country: 'AT', destination },
  });
  expect(await viewDestination(OPERATOR, id)).toBe('AT61 1904 3002 3457 3201');
  const entries = await prisma().auditEntry.findMany({ where: { teamId: null, subject: id } });
  expect(entries).toMatchObject([{ actor: OPERATOR, what: 'payout.destination', reason: 'to pay it' }]);
  expect(JSON.stringify(entries)).not.toContain('AT61');
});

describe('the audit log records who did what to whom, why, and the values before and after', () => {
  const seen = new Set<ActionName>();

  it.each(ACTIONS)('$by: $action', async ({ by, run }) => {
    const { _max: newest } = await prisma().auditEntry.aggregate({ _max: { id: true } });
    const entries = await run();
    const logged = await prisma().auditEntry.findMany({
      where: { teamId: null, id: { gt: newest.id ?? 0 } },
      orderBy: { id: 'asc' },
    });
    expect(logged).toMatchObject(entries.map((expected) => ({ actor: by, reason, ...expected })));
    for (const { what } of entries) seen.add(what);
  });

  it('and covers every operator action', () => {
    // Written with a reason of its own: the test above.
    seen.add('payout.destination');
    expect([...seen].sort()).toEqual(Object.keys(OPERATOR_ACTIONS).sort());
  });

  it('contains no e-mail address and no secret in the values it compares', async () => {
    const rows = await prisma().auditEntry.findMany({
      where: { teamId: null },
      select: { before: true, after: true },
    });
    expect(JSON.stringify(rows)).not.toMatch(/\w@|whsec_|svc_sk_/);
  });
});
