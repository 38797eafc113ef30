import type { PaymentAlert as AlertRow } from '../../../prisma/client/client';
import { DAY_MS, MINUTE_MS, now, nowDate } from '../../base/clock';
import { prisma, type Tx } from '../../base/db';
import { partnerNames } from './partner-names';
import type { Concern, ProcessorReference } from './payment-processor';

/** An open alert for the operator to review. */
export type PaymentAlert = {
  id: string;
  kind: Concern['kind'] | 'wrong_payment' | 'uncredited_payment' | 'account_not_ready' | 'stuck';
  checkoutSessionId: string;
  /** Null when nothing was credited. */
  purchaseId: string | null;
  appName: string;
  amountMinor: number;
  currency: string;
  detail: string;
  /** Whether a dispute took the money. An inquiry does not. */
  takesMoney: boolean;
  at: Date;
  dueAt: Date | null;
};

const MAX_SHOWN = 200;
/** The sweep should close an open payment soon after it expires. */
const OPEN_IS_STUCK_MS = 60 * MINUTE_MS;
/** Slow banks take one or two weeks. */
const PROCESSING_IS_STUCK_MS = 14 * DAY_MS;

/** Applies the processor's current view of a payment. */
export async function noteConcerns(sessionId: string, concerns: Concern[], db: Tx = prisma()): Promise<void> {
  for (const concern of concerns) {
    const { id, kind, amountMinor, detail, dueAt, takesMoney } = concern;
    const known = await db.paymentAlert.findUnique({ where: { id } });
    const closedAt = decideClosing(concern, known);
    const seen = { amountMinor, detail, dueAt, takesMoney };
    await db.paymentAlert.upsert({
      where: { id },
      create: { id, kind, sessionId, createdAt: nowDate(), closedAt, ...seen },
      // Unless the decision changes it, because an operator may have closed the alert since it was read.
      update: closedAt === known?.closedAt ? seen : { ...seen, closedAt },
    });
  }
}

/**
 * A new concern opens an alert, and a decision closes it. A dispute keeps its id through its stages, so a closed
 * alert opens again when a response is due at a new stage or date, and when money was taken that was not
 * before: also if the dispute is lost at once.
 */
function decideClosing(concern: Concern, known: AlertRow | null): Date | null {
  const closedAt = known === null ? nowDate() : known.closedAt;
  if (concern.takesMoney && !known?.takesMoney) return null;
  const hasChanged = concern.detail !== known?.detail || concern.dueAt?.getTime() !== known.dueAt?.getTime();
  // What was lost at once stays open until an operator has seen it.
  if (!concern.isOpen) return hasChanged || !concern.takesMoney ? (closedAt ?? nowDate()) : closedAt;
  return known === null || (hasChanged && concern.needsResponse) ? null : closedAt;
}

export async function openAlert(alert: {
  id: string;
  kind: 'wrong_payment' | 'uncredited_payment';
  sessionId: string;
  reference?: ProcessorReference;
  amountMinor: number | null;
  currency: string | null;
  detail: string;
}): Promise<void> {
  const { reference, ...facts } = alert;
  await prisma().paymentAlert.createMany({
    data: { ...facts, ...reference, createdAt: nowDate() },
    skipDuplicates: true,
  });
}

/** Opens an alert that may have been dismissed before. False if it is open already. */
export async function openAlertAgain(alert: {
  id: string;
  kind: 'account_not_ready';
  sessionId: string;
  detail: string;
}): Promise<boolean> {
  const facts = { ...alert, createdAt: nowDate() };
  const { count: created } = await prisma().paymentAlert.createMany({ data: facts, skipDuplicates: true });
  if (created === 1) return true;
  const { count: opened } = await prisma().paymentAlert.updateMany({
    where: { id: alert.id, closedAt: { not: null } },
    data: { ...facts, closedAt: null },
  });
  return opened === 1;
}

/** Dismisses an alert. False when no such alert is open. */
export async function closePaymentAlert(id: string, db: Tx = prisma()): Promise<boolean> {
  const { count } = await db.paymentAlert.updateMany({
    where: { id, closedAt: null },
    data: { closedAt: nowDate() },
  });
  return count === 1;
}

/** Everything about payments that needs an operator. Alerts with a due date come first. */
export async function listPaymentsNeedingAttention(): Promise<PaymentAlert[]> {
  const [alerts, stuck] = await Promise.all([readOpenAlerts(), readStuckPayments()]);
  const all = [...alerts, ...stuck];
  const order = ({ dueAt, at }: PaymentAlert) => (dueAt ?? at).getTime();
  return all.sort((a, b) => Number(a.dueAt === null) - Number(b.dueAt === null) || order(a) - order(b));
}

async function readOpenAlerts(): Promise<PaymentAlert[]> {
  const alerts = await prisma().paymentAlert.findMany({
    where: { closedAt: null },
    orderBy: { createdAt: 'asc' },
    take: MAX_SHOWN,
  });
  const sessionIds = alerts.map(({ sessionId }) => sessionId);
  const [sessions, purchases] = await Promise.all([
    prisma().checkoutSession.findMany({ where: { id: { in: sessionIds } } }),
    prisma().purchase.findMany({ where: { sessionId: { in: sessionIds } } }),
  ]);
  const names = await partnerNames(sessions);
  return alerts.map((alert) => {
    // Unknown after the database was restored from a backup.
    const session = sessions.find(({ id }) => id === alert.sessionId);
    return {
      id: alert.id,
      kind: alert.kind as PaymentAlert['kind'],
      checkoutSessionId: alert.sessionId,
      purchaseId: purchases.find(({ sessionId }) => sessionId === alert.sessionId)?.id ?? null,
      appName: (session && names.get(session.partnerId)) ?? '',
      amountMinor: alert.amountMinor ?? session?.amountMinor ?? 0,
      currency: alert.currency ?? session?.currency ?? 'usd',
      detail: alert.detail,
      takesMoney: alert.takesMoney,
      at: alert.createdAt,
      dueAt: alert.dueAt,
    };
  });
}

async function readStuckPayments(): Promise<PaymentAlert[]> {
  const sessions = await prisma().checkoutSession.findMany({
    where: {
      OR: [
        { status: 'open', expiresAt: { lt: new Date(now() - OPEN_IS_STUCK_MS) } },
        { status: 'processing', createdAt: { lt: new Date(now() - PROCESSING_IS_STUCK_MS) } },
      ],
    },
    orderBy: { createdAt: 'asc' },
    take: MAX_SHOWN,
  });
  const names = await partnerNames(sessions);
  return sessions.map(({ id, partnerId, amountMinor, currency, status, createdAt }) => ({
    id,
    kind: 'stuck',
    checkoutSessionId: id,
    purchaseId: null,
    appName: names.get(partnerId) ?? '',
    amountMinor,
    currency,
    detail: status,
    takesMoney: false,
    at: createdAt,
    dueAt: null,
  }));
}
