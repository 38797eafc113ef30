import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, expect } from 'vitest';
import { POST as receiveEvent } from '@/app/api/stripe/route';
import { startSandboxMail } from '@/sandbox/mail/server';
import { startSandboxPayments } from '@/sandbox/payments/server';
import { now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { startOnboarding } from '@/server/payments/payouts/accounts';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { newTeam } from './payout-rows';

/** Payouts by Stripe over real HTTP, with the sandbox processor and a mailbox. */

export const SECRET_KEY = 'sk_test_payout_tests';
export const CONNECT_SECRET = 'whsec_payout_tests_connect';
export const RETURN_URL = 'https://svc.example/back';
export const REFRESH_URL = 'https://svc.example/again';

export type PayoutWorld = Awaited<ReturnType<typeof startPayouts>>;

/** Call after `newDatabase()` and before anything reads the settings. */
export async function startPayouts(settings: Record<string, string> = {}) {
  const server = createServer(getRequestListener((request) => receiveEvent(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const mail = await startSandboxMail();
  /** The objects that the processor keeps, by their id. */
  const kept = new Map<string, unknown>();
  const sandbox = await startSandboxPayments({
    secretKey: SECRET_KEY,
    webhookUrl: `${url}/api/stripe`,
    webhookSecret: 'whsec_payout_tests',
    connectWebhookSecret: CONNECT_SECRET,
    store: {
      load: async () => [],
      save: async (id, body) => void kept.set(id, body),
      clear: async () => kept.clear(),
    },
    webhookRetryDelaysMs: [50, 100, 200],
  });
  Object.assign(process.env, {
    BASE_URL: url,
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: 'whsec_payout_tests',
    STRIPE_CONNECT_WEBHOOK_SECRET: CONNECT_SECRET,
    STRIPE_API_BASE: sandbox.url,
    SMTP_URL: mail.smtpUrl,
    PAYOUTS: 'stripe',
    ...settings,
  });
  afterEach(() => setClock());
  afterAll(async () => {
    await Promise.all([sandbox.close(), mail.close()]);
    server.closeAllConnections();
    server.close();
  });
  const stripe = sandboxStripe(sandbox.url, SECRET_KEY);
  return { url, sandboxUrl: sandbox.url, mailUrl: mail.httpUrl, stripe, kept };
}

export async function control({ sandboxUrl }: PayoutWorld, command: object): Promise<void> {
  const response = await fetch(`${sandboxUrl}/__sandbox/control`, {
    method: 'POST',
    body: JSON.stringify(command),
  });
  expect(response.status, await response.text()).toBe(200);
}

export type Payee = { teamId: string; partnerId: string; owner: string; finance: string };
let payees = 0;

/** A team with one app, and one member in each role. */
export async function newPayee(): Promise<Payee> {
  const { teamId, apps } = await newTeam(`App ${++payees}`);
  const emailOf = (role: string) => `${role}-${payees}@example.com`;
  await prisma().teamMember.createMany({
    data: ['owner', 'finance', 'developer'].map((role) => ({ teamId, email: emailOf(role), role })),
  });
  return { teamId, partnerId: String(apps[0]), owner: emailOf('owner'), finance: emailOf('finance') };
}

/** Matured long ago. */
export async function earn({ partnerId }: Payee, cents: number, day = '2026-01-02'): Promise<void> {
  const amount = BigInt(cents) * 1_000_000n;
  await prisma().$executeRaw`
    INSERT INTO earnings_day AS d (partner_id, day, model, kind, requests, amount)
    VALUES (${partnerId}, ${day}::date, 'sandbox/small', 'earned', 1, ${amount})
    ON CONFLICT (partner_id, day, model, kind) DO UPDATE SET amount = d.amount + excluded.amount`;
}

/** Goes through the processor's page with this answer, and returns the account's id. */
export async function onboard(
  payee: Payee,
  answer: 'finish' | 'later' | 'reject' = 'finish',
): Promise<string> {
  const { url } = await startOnboarding({
    teamId: payee.teamId,
    country: 'AT',
    email: payee.owner,
    returnUrl: RETURN_URL,
    refreshUrl: REFRESH_URL,
  });
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ answer }),
  });
  expect(response.headers.get('location')).toBe(RETURN_URL);
  const { processorAccountId } = await prisma().payoutAccount.findUniqueOrThrow({
    where: { teamId: payee.teamId },
  });
  return String(processorAccountId);
}

/** An account that can be paid, approved before, and a planned payout to it. */
export async function newPlannedPayout(
  cents: number,
  data: object = {},
): Promise<Payee & { payoutId: string; accountId: string }> {
  const payee = await newPayee();
  const accountId = await onboard(payee);
  await earn(payee, cents);
  const { createPayout } = await import('@/server/ledger');
  const { newId } = await import('@/server/base/ids');
  const created = await createPayout({
    payoutId: newId('po'),
    teamId: payee.teamId,
    period: '2026-11',
    asOf: new Date('2026-11-01'),
    method: 'stripe',
    minimum: 0n as never,
    approvedBy: 'service',
    processorAccountId: accountId,
    payee: null,
  });
  if (created.outcome !== 'created') throw new Error(`not planned: ${created.outcome}`);
  await prisma().payout.update({ where: { id: created.payoutId }, data });
  return { ...payee, payoutId: created.payoutId, accountId };
}

export const readPayout = (id: string) => prisma().payout.findUniqueOrThrow({ where: { id } });

/** Moves the clock of the service and of the sandbox. */
export function advance(ms: number): void {
  const at = now() + ms;
  setClock(() => at);
}

export type CaughtMail = { to: string; subject: string; text: string };
