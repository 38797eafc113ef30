import { DAY_MS, nowDate } from '@/server/base/clock';
import { microcredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPayout, readTeamEarnings, returnPayout } from '@/server/ledger';
import { insist } from './insist';
import type { Tally } from './tally';

/** The payouts of a walker's apps, next to a model of them: what was earned less what was paid. */

const CENT = 1_000_000n;
/** By then, everything has matured. */
const MATURED_MS = 31 * DAY_MS;

type Expect = (what: string, found: unknown, expected: unknown) => void;

export class PayoutSteps {
  /** What each payout paid that neither failed nor was returned. */
  private readonly paid = new Map<string, bigint>();
  private months = 0;

  constructor(
    readonly teamId: string,
    private readonly userId: string,
    private readonly tally: Tally,
    private readonly expect: Expect,
  ) {}

  /** Several may ask for the payout of a month. Only what is rolled up is paid. */
  async plan(times: number, reserve: bigint): Promise<void> {
    const available =
      (await this.earned(`posted_at < (SELECT up_to FROM watermark WHERE name = 'earnings')`)) -
      this.total() -
      reserve;
    const expected = available < CENT ? null : available - (available % CENT);
    const period = new Date(Date.UTC(2030, this.months++)).toISOString().slice(0, 7);
    await insist(() =>
      prisma().team.update({ where: { id: this.teamId }, data: { payoutReserve: reserve } }),
    );
    const outcomes = await Promise.all(Array.from({ length: times }, () => this.create(period)));
    const stored = await insist(() =>
      prisma().payout.findMany({ where: { teamId: this.teamId, period: new Date(`${period}-01`) } }),
    );
    this.tally.operation(expected === null ? 'payout below the minimum' : 'payout');
    this.expect(
      'the payouts of a month',
      stored.map(({ amount }) => amount).join(),
      expected === null ? '' : String(expected),
    );
    for (const outcome of outcomes)
      if (expected === null) this.expect('what can be paid', outcome, `${available} below_minimum`);
      else this.expect('a payout', outcome, stored[0]?.id);
    for (const { id, amount } of stored) this.paid.set(id, amount);
  }

  private create(period: string): Promise<string> {
    const payoutId = newId('po');
    return insist(async () => {
      const made = await createPayout({
        payoutId,
        teamId: this.teamId,
        period,
        asOf: new Date(nowDate().getTime() + MATURED_MS),
        method: 'manual',
        minimum: microcredits(0n),
        approvedBy: null,
        processorAccountId: null,
        payee: null,
      });
      if (made.outcome === 'below_minimum') return `${made.payable} ${made.outcome}`;
      return 'payoutId' in made ? made.payoutId : made.outcome;
    });
  }

  /** Several may learn that a payout was returned. */
  async giveBack(pick: (payouts: string[]) => string, times: number): Promise<void> {
    if (this.paid.size === 0) return;
    const payoutId = pick([...this.paid.keys()]);
    this.tally.operation('payout returned');
    const back = { payoutId, from: ['planned' as const], to: 'returned' as const, failure: 'Closed.' };
    await Promise.all(Array.from({ length: times }, () => insist(() => returnPayout(back))));
    this.paid.delete(payoutId);
  }

  /** What is owed and maturing must be what was earned and not paid out, reversals after a payout included. */
  async compare(): Promise<void> {
    const apps = await insist(() => readTeamEarnings(this.teamId));
    const found = apps.reduce((sum, { payable, maturing }) => sum + payable + maturing, 0n);
    this.expect('what is owed to a team', found, (await this.earned('true')) - this.total());
    const paidOut = apps.reduce((sum, app) => sum + app.paidOut, 0n);
    this.expect('what was paid to a team', paidOut, this.total());
  }

  private readonly total = (): bigint => [...this.paid.values()].reduce((sum, amount) => sum + amount, 0n);

  /** The apps have one user each. */
  private earned(condition: string): Promise<bigint> {
    return insist(async () => {
      const { rows } = await pool().query<{ earned: bigint }>(
        `SELECT coalesce(sum(amount), 0)::bigint AS earned
         FROM (SELECT amount, created_at AS posted_at FROM ledger_entry WHERE user_id = $1 AND account = 'partner_earnings') e
         WHERE ${condition}`,
        [this.userId],
      );
      return rows[0]?.earned ?? 0n;
    });
  }
}
