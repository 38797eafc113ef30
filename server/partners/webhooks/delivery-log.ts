import type { DeliveryAttempt, Prisma } from '../../../prisma/client/client';
import { MINUTE_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { openSealed } from '../../base/seal';
import type { AttemptError, AttemptResult } from './attempt';
import { claimOne } from './claim';
import { deliver } from './deliver';
import type { EventType } from './events';
import { shownIn } from './record';
import { verdictOf } from './record-attempt';

/**
 * The delivery log of an app's events. The partner's pages pass the id of the signed-in partner, so
 * other partners' events are not found.
 */

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'stopped', 'expired'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryView = {
  eventId: string;
  type: EventType;
  createdAt: Date;
  /** stopped: the endpoint was cleared. expired: the key waited too long for a disabled partner. */
  status: DeliveryStatus;
  /** Null when no attempt is planned or one is running. Events of a disabled partner wait until it is enabled. */
  nextAttemptAt: Date | null;
  isRunning: boolean;
  /** The JSON that was sent; a user key is masked. */
  body: string;
  /** False once a body with a user key was erased. */
  canResend: boolean;
  /** Oldest first. */
  attempts: AttemptView[];
};

export type AttemptView = Omit<AttemptResult, 'durationMs'> & {
  number: number;
  /** Null when unknown (`lost`). */
  durationMs: number | null;
  isManual: boolean;
  /** A sentence for people when no status arrived. */
  explanation: string | null;
};

export type DeliveryFilter = {
  type?: EventType | undefined;
  status?: DeliveryStatus | undefined;
  /** The id of the last event on the previous page. */
  before?: string | undefined;
  limit: number;
};

const MAX_LIMIT = 100;

/** Newest first. */
export async function listDeliveries(
  partnerId: string,
  { type, status, before, limit }: DeliveryFilter,
): Promise<{ deliveries: DeliveryView[]; hasMore: boolean }> {
  const take = Math.min(Math.max(1, Math.trunc(limit)), MAX_LIMIT);
  const after = before === undefined ? {} : await rowsAfter(partnerId, before);
  if (after === null) return { deliveries: [], hasMore: false };
  const rows = await prisma().event.findMany({
    where: {
      partnerId,
      ...(type && { type }),
      delivery: status ? { status } : { isNot: null },
      ...after,
    },
    include: WITH_ATTEMPTS,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: take + 1,
  });
  return { deliveries: rows.slice(0, take).map(toView), hasMore: rows.length > take };
}

export async function findDelivery(partnerId: string, eventId: string): Promise<DeliveryView | null> {
  const row = await prisma().event.findFirst({ where: { id: eventId, partnerId }, include: WITH_ATTEMPTS });
  return row && toView(row);
}

export type SendResult =
  | { ok: true; eventId: string; result: AttemptResult; isDelivered: boolean; explanation: string | null }
  | { ok: false; reason: SendRefusal; message: string };

export type SendRefusal = 'not_found' | 'no_endpoint' | 'disabled' | 'erased' | 'running' | 'too_many';

const REFUSALS: Record<SendRefusal, string> = {
  not_found: 'This event does not exist',
  no_endpoint: 'Set a webhook endpoint first',
  disabled: 'The app is disabled. Deliveries resume when it is enabled.',
  erased:
    'This event contained a user key, which is not stored. The user gets a new one by signing in again.',
  running: 'A delivery attempt is in progress',
  too_many: 'Too many attempts. Please wait a minute.',
};

/**
 * Makes another attempt with the same bytes, outside the schedule. Waits at most six seconds for its result.
 */
export async function resendDelivery(partnerId: string, eventId: string): Promise<SendResult> {
  if (await isTooMany(partnerId)) return refuse('too_many');
  const claim = await claimOne(partnerId, eventId, { isManual: true });
  const result = claim && (await deliver(claim));
  if (!result) return refuse(await findRefusal(partnerId, eventId));
  return toSendResult(eventId, result);
}

export function toSendResult(eventId: string, result: AttemptResult): SendResult {
  const isDelivered = verdictOf(result) === 'delivered';
  return { ok: true, eventId, result, isDelivered, explanation: explain(result.error) };
}

const EXPLANATIONS: Record<AttemptError, string> = {
  timeout: 'No response within five seconds',
  connection: 'The connection was refused or closed',
  tls: 'The TLS handshake failed: the certificate must be valid for the host',
  bad_response: 'The response was not valid HTTP',
  dns: 'The host name could not be resolved',
  blocked_address: 'The host resolves to an IP address that is not public',
  lost: 'The attempt was interrupted on our side',
};

const explain = (error: AttemptError | null): string | null => error && EXPLANATIONS[error];

/** Per app, from the dashboard or a script. */
const MANUAL_SENDS_PER_MINUTE = 20;

/** Prevents partners from flooding a URL of their choice with our requests. */
export async function isTooMany(partnerId: string): Promise<boolean> {
  const count = await prisma().deliveryAttempt.count({
    where: {
      beganAt: { gt: new Date(now() - MINUTE_MS) },
      delivery: { partnerId },
      OR: [{ isManual: true }, { delivery: { event: { type: 'test' } } }],
    },
  });
  return count >= MANUAL_SENDS_PER_MINUTE;
}

export const refuse = (reason: SendRefusal): SendResult => ({ ok: false, reason, message: REFUSALS[reason] });

async function findRefusal(partnerId: string, eventId: string): Promise<SendRefusal> {
  const event = await prisma().event.findFirst({ where: { id: eventId, partnerId }, select: { body: true } });
  if (event === null) return 'not_found';
  return (await findSendBlocker(partnerId)) ?? (event.body === null ? 'erased' : 'running');
}

export async function findSendBlocker(partnerId: string): Promise<'no_endpoint' | 'disabled' | null> {
  const partner = await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } });
  if (partner.webhookUrl === null || partner.webhookSecret === null) return 'no_endpoint';
  return partner.disabledAt === null ? null : 'disabled';
}

const WITH_ATTEMPTS = {
  delivery: { include: { log: { orderBy: { number: 'asc' } } } },
} as const satisfies Prisma.EventInclude;

type Row = Prisma.EventGetPayload<{ include: typeof WITH_ATTEMPTS }>;

/** Null when the partner has no such event. */
async function rowsAfter(partnerId: string, eventId: string): Promise<Prisma.EventWhereInput | null> {
  const last = await prisma().event.findFirst({
    where: { id: eventId, partnerId },
    select: { createdAt: true },
  });
  if (last === null) return null;
  const { createdAt } = last;
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: eventId } }] };
}

function toView({ delivery, ...event }: Row): DeliveryView {
  const isRunning = (delivery?.leaseUntil?.getTime() ?? 0) > now();
  const isWaiting = delivery?.status === 'pending' && !isRunning;
  return {
    eventId: event.id,
    type: event.type as EventType,
    createdAt: event.createdAt,
    status: (delivery?.status ?? 'stopped') as DeliveryStatus,
    nextAttemptAt: isWaiting ? delivery.dueAt : null,
    isRunning,
    body: showBody(event),
    canResend: event.body !== null && !isRunning,
    attempts: (delivery?.log ?? []).map(toAttemptView),
  };
}

function toAttemptView({ eventId: _, ...attempt }: DeliveryAttempt): AttemptView {
  const error = attempt.error as AttemptError | null;
  return { ...attempt, error, explanation: explain(error) };
}

function showBody({ id, body, shownBody }: Pick<Row, 'id' | 'body' | 'shownBody'>): string {
  if (shownBody !== null) return openSealed(shownBody, shownIn(id));
  return body === null ? '' : openSealed(body, id);
}
