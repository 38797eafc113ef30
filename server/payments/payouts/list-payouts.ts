import type { PayoutLine, Payout as StoredPayout } from '../../../prisma/client/client';
import { type Microcredits, microcredits } from '../../base/credits';
import { pool, prisma } from '../../base/db';
import type { PayoutState } from '../../ledger';
import { type PayoutPayee, payeeSchema } from './payee-details';

/** Readings of payouts, for the team that is paid and for operators. */

export type PayoutView = {
  id: string;
  teamId: string;
  /** `2026-10` */
  period: string;
  amount: Microcredits;
  method: 'stripe' | 'manual';
  state: PayoutState;
  isApproved: boolean;
  isHeld: boolean;
  heldReason: string | null;
  failure: string | null;
  bankState: 'in_transit' | 'paid' | 'failed' | null;
  bankFailure: string | null;
  /** What was taken back in part, in cents. */
  reversedMinor: bigint | null;
  reference: string | null;
  /** What arrived, in another currency than USD too; null if nobody recorded it. */
  paid: { currency: string; minor: bigint; rate: string | null } | null;
  createdAt: Date;
  sentAt: Date | null;
  endedAt: Date | null;
};

export type PayoutLineView = {
  partnerId: string;
  app: string;
  requests: bigint;
  earned: Microcredits;
  /** Below zero for what refunds and disputes took back. */
  reversed: Microcredits;
  carriedBefore: Microcredits;
  carriedAfter: Microcredits;
  amount: Microcredits;
  maturedUntil: Date;
};

export type ModelSum = { model: string; requests: bigint; earned: Microcredits; reversed: Microcredits };
export type DaySum = Omit<ModelSum, 'model'> & { day: string };

/** Newest first. */
export async function listPayouts(
  teamId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ payouts: PayoutView[]; total: number }> {
  const where = { teamId };
  const [rows, total] = await Promise.all([
    prisma().payout.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offset,
      take: limit,
    }),
    prisma().payout.count({ where }),
  ]);
  return { payouts: rows.map(toView), total };
}

export type PayoutDetails = PayoutView & {
  teamName: string;
  payee: PayoutPayee | null;
  lines: PayoutLineView[];
  models: ModelSum[];
};

/** With `teamId` null, of any team. Null if there is no such payout. */
export async function findPayout(payoutId: string, teamId: string | null): Promise<PayoutDetails | null> {
  const row = await prisma().payout.findUnique({
    where: { id: payoutId, ...(teamId !== null && { teamId }) },
    include: { lines: { orderBy: { partnerId: 'asc' } } },
  });
  if (row === null) return null;
  const [team, apps, sums] = await Promise.all([
    prisma().team.findUniqueOrThrow({ where: { id: row.teamId }, select: { name: true } }),
    prisma().partner.findMany({
      where: { id: { in: row.lines.map(({ partnerId }) => partnerId) } },
      select: { id: true, name: true },
    }),
    readSums(payoutId),
  ]);
  const names = new Map(apps.map(({ id, name }) => [id, name]));
  return {
    ...toView(row),
    teamName: team.name,
    payee: row.payee === null ? null : payeeSchema.parse(row.payee),
    lines: row.lines.map((line) => toLine(line, names.get(line.partnerId) ?? line.partnerId, sums)),
    models: addUp(sums, ({ model }) => model)
      .map(([model, sum]) => ({ model, ...sum }))
      .sort((one, other) => (one.earned < other.earned ? 1 : -1)),
  };
}

type Sum = { partnerId: string; model: string; requests: bigint; earned: bigint; reversed: bigint };

async function readSums(payoutId: string): Promise<Sum[]> {
  const { rows } = await pool().query<Sum>(
    `SELECT partner_id AS "partnerId", model, ${SUMS} FROM payout_item WHERE payout_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    [payoutId],
  );
  return rows;
}

const SUMS = `
  coalesce(sum(requests) FILTER (WHERE kind = 'earned'), 0)::bigint AS requests,
  coalesce(sum(amount) FILTER (WHERE kind = 'earned'), 0)::bigint AS earned,
  coalesce(sum(amount) FILTER (WHERE kind = 'reversed'), 0)::bigint AS reversed`;

/** The months that a payout has requests of, newest first, and the days of one of them: the newest by default. */
export async function readPayoutDays(
  payoutId: string,
  month?: string,
): Promise<{ months: string[]; month: string | null; days: DaySum[] }> {
  const { rows } = await pool().query<{ month: string }>(
    `SELECT to_char(day, 'YYYY-MM') AS month FROM payout_item WHERE payout_id = $1 GROUP BY 1 ORDER BY 1 DESC`,
    [payoutId],
  );
  const months = rows.map((row) => row.month);
  const chosen = months.find((one) => one === month) ?? months[0];
  if (chosen === undefined) return { months, month: null, days: [] };
  const days = await pool().query<DaySum>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, ${SUMS} FROM payout_item
     WHERE payout_id = $1 AND day >= $2::date AND day < $2::date + interval '1 month'
     GROUP BY payout_item.day ORDER BY payout_item.day DESC`,
    [payoutId, `${chosen}-01`],
  );
  return { months, month: chosen, days: days.rows };
}

export type PayoutItem = {
  partnerId: string;
  day: string;
  model: string;
  kind: 'earned' | 'reversed';
  requests: bigint;
  amount: bigint;
};

const ROWS_AT_ONCE = 2_000;

/** All rows behind a payout, by app, day and model. */
export async function* streamPayoutItems(payoutId: string): AsyncGenerator<PayoutItem[]> {
  let last: PayoutItem | undefined;
  do {
    const { rows } = await pool().query<PayoutItem>(
      `SELECT partner_id AS "partnerId", to_char(day, 'YYYY-MM-DD') AS day, model, kind, requests, amount
       FROM payout_item WHERE payout_id = $1 AND (partner_id, payout_item.day, model, kind) > ($2, $3::date, $4, $5)
       ORDER BY partner_id, payout_item.day, model, kind LIMIT ${ROWS_AT_ONCE}`,
      [payoutId, last?.partnerId ?? '', last?.day ?? '-infinity', last?.model ?? '', last?.kind ?? ''],
    );
    if (rows.length > 0) yield rows;
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

function toView(row: StoredPayout): PayoutView {
  const { paidCurrency, paidMinor, rate } = row;
  return {
    id: row.id,
    teamId: row.teamId,
    period: row.period.toISOString().slice(0, 7),
    amount: microcredits(row.amount),
    method: row.method as PayoutView['method'],
    state: row.state as PayoutState,
    isApproved: row.approvedBy !== null,
    isHeld: row.heldAt !== null,
    heldReason: row.heldReason,
    failure: row.failure,
    bankState: row.bankState as PayoutView['bankState'],
    bankFailure: row.bankFailure,
    reversedMinor: row.reversedMinor,
    reference: row.reference,
    paid:
      paidCurrency === null || paidMinor === null
        ? null
        : { currency: paidCurrency, minor: paidMinor, rate: rate?.toString() ?? null },
    createdAt: row.createdAt,
    sentAt: row.sentAt,
    endedAt: row.endedAt,
  };
}

function toLine(line: PayoutLine, app: string, sums: Sum[]): PayoutLineView {
  const own = addUp(
    sums.filter(({ partnerId }) => partnerId === line.partnerId),
    () => '',
  );
  const { requests = 0n, earned = microcredits(0n), reversed = microcredits(0n) } = own[0]?.[1] ?? {};
  return {
    partnerId: line.partnerId,
    app,
    requests,
    earned,
    reversed,
    carriedBefore: microcredits(line.carriedBefore),
    carriedAfter: microcredits(line.carriedAfter),
    amount: microcredits(line.amount),
    maturedUntil: line.maturedUntil,
  };
}

function addUp(sums: Sum[], keyOf: (sum: Sum) => string): [string, Omit<ModelSum, 'model'>][] {
  const found = new Map<string, Omit<ModelSum, 'model'>>();
  for (const sum of sums) {
    const known = found.get(keyOf(sum));
    found.set(keyOf(sum), {
      requests: (known?.requests ?? 0n) + sum.requests,
      earned: microcredits((known?.earned ?? 0n) + sum.earned),
      reversed: microcredits((known?.reversed ?? 0n) + sum.reversed),
    });
  }
  return [...found];
}
