import { DAY_MS, MINUTE_MS, now, nowDate } from '../clock';
import { prisma, type Tx } from '../db';
import { partnerNames } from './partner-names';
import type { Concern } from './payment-processor';

/** An open alert for the operator to review. */
export type PaymentAlert = {
  id: string;
  kind: Concern['kind'] | 'wrong_payment' | 'stuck';
  checkoutSessionId: string;
  /** Null when nothing was credited. */
  purchaseId: string | null;
  appName: string;
  amountMinor: number;
  currency: string;
  detail: string;
  at: Date;
  dueAt: Date | null;
};

const MAX_SHOWN = 200;
/** The sweep should close an open payment soon after it expires. */
const OPEN_IS_STUCK_MS = 60 * MINUTE_MS;
/** Slow banks take one or two weeks. */
const PROCESSING_IS_STUCK_MS = 14 * DAY_MS;

/** Applies the processor's current view of a payment: a new concern opens an alert, a decision closes it. */
export async function noteConcerns(sessionId: string, concerns: Concern[]): Promise<void> {
  for (const { isOpen, ...concern } of concerns) {
    const closedAt = isOpen ? null : nowDate();
    const { id, detail, dueAt } = concern;
    await prisma().paymentAlert.createMany({
      data: { ...concern, sessionId, createdAt: nowDate(), closedAt },
      skipDuplicates: true,
    });
    await prisma().paymentAlert.updateMany({
      where: { id, closedAt: null },
      data: { detail, dueAt, closedAt },
    });
  }
}

export async function openAlert(alert: {
  id: string;
  kind: 'wrong_payment';
  sessionId: string;
  amountMinor: number | null;
  detail: string;
}): Promise<void> {
  await prisma().paymentAlert.createMany({
    data: { ...alert, createdAt: nowDate() },
    skipDuplicates: true,
  });
}

/** Dismisses an alert. False when no such alert is open. */
export async function closePaymentAlert(id: string, db: Tx = prisma()): Promise<boolean> {
  const { count } = await db.paymentAlert.updateMany({
    where: { id, closedAt: null },
    data: { closedAt: nowDate() },
  });
  return count === 1;
}

/** Disputes, fraud warnings, failed refunds, wrong and stuck payments. Alerts with a due date come first. */
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
  return alerts.flatMap((alert) => {
    const session = sessions.find(({ id }) => id === alert.sessionId);
    if (session === undefined) return [];
    return {
      id: alert.id,
      kind: alert.kind as PaymentAlert['kind'],
      checkoutSessionId: session.id,
      purchaseId: purchases.find(({ sessionId }) => sessionId === session.id)?.id ?? null,
      appName: names.get(session.partnerId) ?? '',
      amountMinor: alert.amountMinor ?? session.amountMinor,
      currency: session.currency,
      detail: alert.detail,
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
    at: createdAt,
    dueAt: null,
  }));
}
