import { nowDate } from '@/server/base/clock';
import {
  type Charge,
  chargeFor,
  type Microcredits,
  microcredits,
  type Picocredits,
  wholeCredits,
} from '@/server/base/credits';
import { NO_RULES } from '@/server/base/data-rules';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  admit,
  askRefund,
  bookCorrections,
  capture,
  grantCredits,
  type Hold,
  keepLease,
  OUTSIDE_ANY_APP,
  type Run,
  readRefundable,
  readSpendable,
  release,
  saveAllowance,
} from '@/server/ledger';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { minimumBalance } from '@/server/ledger/minimum-balance';
import { advanceTopUps } from '@/server/payments/checkout/top-up/advance';
import { claimTopUp } from '@/server/payments/checkout/top-up/claim';
import { bookWithBonus, newGift, redeemGiftLink, startWithCode } from '../harness/promotions';
import { bookPaidSession } from '../harness/purchases';
import { approve, proposeCredits } from '../ledger/correct';
import { Model } from '../ledger/model';
import { receipt } from '../ledger/receipt';
import { newTeam } from '../ledger/teams';
import { addRunKey, limitMonth, newWallet, stopOrResume, takeBack, type Wallet } from '../ledger/wallets';
import { insist } from './insist';
import { PayoutSteps } from './payout-steps';
import type { SharedPromotions } from './promotions';
import type { Tally } from './tally';

/** One user, who takes random steps in the ledger and in its model, and compares the outcome of each. */

const APPS = ['A', 'B', 'C'];
/** The pocket of auto top-ups, in the order in which credits are spent. */
const POCKETS = [OUTSIDE_ANY_APP, ...APPS];
const RATES_BP = [0, 2_500, 10_000];
const MOST_HOLDS = 12;
const BURST = 8;
const CREDIT = 1_000_000;
const LARGEST = 30 * CREDIT;
/** In credits: of a run key, of the one below it, and of a run. */
const BUDGETS = [400, 200, 100] as const;
const TOP_UP = { threshold: 60 * CREDIT, credits: 40 };

const STATUS: Record<string, string> = { busy: 'ok', limit_reached: 'partner_limit_reached' };

type Dispute = 'none' | 'inquiry' | 'open' | 'won' | 'lost';
type Bought = {
  sessionId: string;
  app: string;
  credits: number;
  /** In whole credits. */
  refunded: number;
  dispute: Dispute;
};
/** What a request may draw on next to the wallet. */
type Spender = { app: string; budgets: string[]; keyHash: Buffer; run?: Run };
type Abandoned = { hold: Hold; metered: number; endLease: () => void };

const exactly = (amount: number): Picocredits => (BigInt(amount) * 1_000_000n) as Picocredits;

export class Walker {
  readonly model = new Model(POCKETS, Number.POSITIVE_INFINITY);
  steps = 0;
  private holds: Hold[] = [];
  /** At most one, because the sweep settles those of one user in any order. */
  private abandoned: Abandoned | null = null;
  private readonly purchases: Bought[] = [];
  private redeemed = 0;
  private readonly captured: string[] = [];
  /** What providers billed beyond what was taken: for prompts that missed a cache on which their holds relied. */
  private loss = 0;
  readonly payouts: PayoutSteps;
  private readonly spenders: Spender[] = [];

  private constructor(
    readonly wallet: Wallet,
    teamId: string,
    private readonly rateBp: number,
    private readonly random: () => number,
    private readonly tally: Tally,
    private readonly promotions: SharedPromotions,
    private readonly mayOverrun: boolean,
  ) {
    this.payouts = new PayoutSteps(teamId, wallet.userId, tally, this.expect);
  }

  static async open(
    random: () => number,
    tally: Tally,
    promotions: SharedPromotions,
    mayOverrun: boolean,
  ): Promise<Walker> {
    const rateBp = RATES_BP[Math.floor(random() * RATES_BP.length)] ?? 0;
    const wallet = await newWallet(APPS, { rateBp });
    await turnOnAutoTopUp(wallet.userId);
    const teamId = await newTeam(Object.values(wallet.apps).map(({ id }) => id));
    const walker = new Walker(wallet, teamId, rateBp, random, tally, promotions, mayOverrun);
    for (const app of APPS) await walker.openBudgets(app);
    return walker;
  }

  /** Two run keys, one below the other, and a run of the lower one. */
  private async openBudgets(app: string): Promise<void> {
    const [most, less, least] = BUDGETS;
    const upper = await addRunKey(this.wallet, app, { credits: most });
    const lower = await addRunKey(this.wallet, app, { credits: less }, upper);
    const run = { id: 'a', credits: wholeCredits(least) };
    const budgets = [upper.id, lower.id, `run:${lower.id}:a`];
    for (const [n, name] of budgets.entries())
      this.model.budgets.set(name, { credits: (BUDGETS[n] ?? 0) * CREDIT, spent: 0 });
    this.spenders.push(
      { app, budgets: budgets.slice(0, 1), keyHash: upper.keyHash },
      { app, budgets: budgets.slice(0, 2), keyHash: lower.keyHash },
      { app, budgets, keyHash: lower.keyHash, run },
    );
  }

  async step(): Promise<void> {
    this.steps++;
    const chance = this.random();
    if (chance < 0.3) await this.request(this.pick(APPS), LARGEST);
    else if (chance < 0.36) await this.burst();
    else if (chance < 0.6) await this.settle();
    else if (chance < 0.64) await this.release(this.takeHold());
    else if (chance < 0.68) this.abandon();
    else if (chance < 0.73) await this.buy();
    else if (chance < 0.76) await this.buyWithCode();
    else if (chance < 0.82) await this.save();
    else if (chance < 0.885) await this.reverse();
    else if (chance < 0.9) await this.refundUnused();
    else if (chance < 0.91) await this.grant();
    else if (chance < 0.92) await this.redeemGift();
    else if (chance < 0.94) await this.topUp();
    else if (chance < 0.96) await this.payOut();
    else if (chance < 0.975) await this.limit();
    else if (chance < 0.985) await this.correct();
    else await this.read();
  }

  /** The pockets that the ledger must contain now. */
  pockets(): { partnerId: string; own: number; granted: number; ownHeld: number; allowanceLeft: number }[] {
    return POCKETS.map((app) => ({ partnerId: this.partnerOf(app), ...this.model.pocket(app) }));
  }

  /** The request that an instance abandoned, if any: the sweep has settled it with what was metered. */
  noteSwept(): void {
    if (this.abandoned === null) return;
    this.model.settle(this.abandoned.hold.requestId, this.abandoned.metered);
    this.abandoned = null;
  }

  /** Ends the lease of the abandoned request, as the death of its instance does. Returns the id of its hold. */
  die(): string | null {
    this.abandoned?.endLease();
    const hold = this.abandoned?.hold;
    return hold?.kept?.id ?? hold?.requestId ?? null;
  }

  /**
   * Settles what is open. Then, for some, every payment is disputed, so that no commission is left, and every
   * dispute is won and every refund fails, so that all of it is restored.
   */
  async finish(): Promise<void> {
    for (const hold of this.holds.splice(0)) await this.capture(hold, this.amount(hold.amount));
    await this.payouts.compare();
    this.expect(
      'what exceeded holds',
      await this.sumOf('overrun_loss', "kind = 'usage'"),
      BigInt(-this.loss),
    );
    if (this.random() < 0.6) return;
    await this.setPayments({ refunded: 0, dispute: 'open' });
    this.expect('the commission on disputed payments', await this.sumOf('partner_earnings', 'true'), 0n);
    await this.payouts.compare();
    await this.setPayments({ refunded: 0, dispute: 'won' });
    // A pocket that covered a request during a refund still owes for it, and so does the commission on that.
    if (POCKETS.some((app) => this.model.pocket(app).own < this.model.pocket(app).granted)) return;
    const earned = await this.sumOf('partner_earnings', "kind IN ('usage', 'correction')");
    const final = await this.sumOf('partner_earnings', 'true');
    this.expect('the commission on payments that are final', final, earned);
  }

  private async setPayments(state: Pick<Bought, 'refunded' | 'dispute'>): Promise<void> {
    for (const bought of this.purchases) {
      this.tally.operation(state.dispute === 'open' ? 'dispute of a whole history' : 'history restored');
      Object.assign(bought, state);
      await this.bookReversals(bought);
    }
  }

  /** What an account has of this user's transactions that the condition selects. */
  private sumOf(account: 'partner_earnings' | 'overrun_loss', condition: string): Promise<bigint> {
    return insist(async () => {
      const { rows } = await pool().query<{ sum: bigint }>(
        `SELECT coalesce(sum(p.amount), 0)::bigint AS sum FROM ledger_transaction t
         CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
         WHERE t.user_id = $1 AND p.account = $2 AND (${condition})`,
        [this.wallet.userId, account],
      );
      return rows[0]?.sum ?? 0n;
    });
  }

  /** Small requests of one app in quick succession, which share kept holds. */
  private async burst(): Promise<void> {
    const app = this.pick(APPS);
    for (let n = 0; n < BURST; n++) {
      await this.request(app, LARGEST / 1_000);
      const hold = this.random() < 0.8 ? this.holds.pop() : undefined;
      if (hold === undefined) continue;
      if (this.random() < 0.2) await this.release(hold);
      else await this.capture(hold, this.amount(hold.amount));
    }
  }

  private async request(app: string, largest: number): Promise<void> {
    if (this.holds.length >= MOST_HOLDS) return this.settle();
    const [want, need] = [this.below(largest) + 1, this.below(largest / 4)];
    const most = Math.max(want, need);
    const requestId = newId('req');
    const enough = most % 2 === 0 ? most : Math.ceil(most / 4);
    const ofApp = this.spenders.filter((spender) => spender.app === app);
    const { budgets, ...by } =
      this.random() < 0.25 ? this.pick(ofApp) : { budgets: [], keyHash: this.appOf(app).keyHash };
    const request = {
      ...by,
      requestId,
      model: 'test/model',
      need: exactly(need),
      want: exactly(most),
      enough: enough === most ? undefined : exactly(enough),
    };
    const found = await admit(request).then(
      (admission) => (admission.ok ? admission.hold : admission.refusal),
      () => this.findHold(requestId),
    );
    if (found === null) return this.tally.operation('request lost with the database');
    const charge = (amount: number) => Number(chargeFor(exactly(amount), this.rateBp).charge);
    const minimum = Math.max(Number(minimumBalance()), charge(need));
    const draw = { budgets, cost: charge(need) };
    const expected = this.model.hold(requestId, app, charge(most), minimum, draw, charge(enough));
    if (typeof found === 'string') {
      this.tally.operation(`request refused: ${found}`);
      return this.expect('the outcome of a request', found, expected);
    }
    const isLowered = Number(found.amount) < charge(most);
    const isInKept = found.kept !== undefined && found.kept.id !== requestId;
    this.tally.operation(
      isInKept ? 'request in a kept hold' : isLowered ? 'request held for less' : 'request held',
    );
    this.expect('the outcome of a request', 'held', expected);
    this.expect('a hold', Number(found.amount), this.model.holds.get(requestId)?.amount);
    if (found.kept) this.model.useKept(requestId, Number(found.kept.amount));
    this.holds.push(found);
  }

  /** The database was away: the hold exists if the statement was committed. */
  private findHold(requestId: string): Promise<Hold | null> {
    return insist(async () => {
      const { rows } = await pool().query<{ partner_id: string; amount: Microcredits }>(
        'SELECT partner_id, amount FROM hold WHERE request_id = $1',
        [requestId],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const { userId } = this.wallet;
      const ids = { requestId, userId, partnerId: row.partner_id, keyId: '', appUserId: '' };
      return { ...ids, rateBp: this.rateBp, amount: row.amount, dataRules: NO_RULES };
    });
  }

  private async settle(): Promise<void> {
    const hold = this.takeHold();
    if (hold === null) return this.request(this.pick(APPS), LARGEST);
    const goesBeyond = this.random() < 0.05 && this.mayOverrun;
    await this.capture(
      hold,
      goesBeyond ? Number(hold.amount) + this.below(LARGEST) : this.amount(hold.amount),
    );
  }

  private async capture(hold: Hold, cost: number): Promise<void> {
    const charge: Charge = chargeFor(exactly(cost), this.rateBp);
    const isRepeated = this.random() < 0.2;
    this.tally.operation(charge.charge > hold.amount ? 'captured, above the hold' : 'captured');
    const settled = await capture(hold, charge, receipt());
    const taken = this.model.settle(hold.requestId, Number(charge.charge));
    this.expect('a capture', Number(settled?.captured ?? -1), taken);
    this.loss += Math.max(0, Number(charge.providerCost) - taken);
    if (taken > 0) this.captured.push(hold.requestId);
    if (!isRepeated) return;
    this.tally.operation('capture repeated');
    const again = await capture(hold, charge, receipt());
    this.expect('a repeated capture', again?.captured, settled?.captured);
  }

  private async release(hold: Hold | null): Promise<void> {
    if (hold === null) return this.request(this.pick(APPS), LARGEST);
    this.tally.operation('released');
    await release(hold);
    this.model.settle(hold.requestId, 0);
  }

  /** Its instance will die: from now on only the lease knows what was metered. */
  private abandon(): void {
    const hold = this.abandoned === null ? this.takeHold() : null;
    if (hold === null) return;
    this.tally.operation('abandoned');
    const charge = chargeFor(exactly(this.random() < 0.3 ? 0 : this.amount(hold.amount)), this.rateBp);
    const endLease = keepLease(hold, () => ({ charge, receipt: receipt() }));
    this.abandoned = { hold, metered: Number(charge.charge), endLease };
  }

  private async buy(): Promise<void> {
    const isRepeated = this.random() < 0.15 && this.purchases.length > 0;
    const bought: Bought = isRepeated
      ? this.pick(this.purchases)
      : {
          sessionId: newId('cks'),
          app: this.pick(APPS),
          credits: (this.below(120) + 1) * CREDIT,
          refunded: 0,
          dispute: 'none',
        };
    this.tally.operation(isRepeated ? 'purchase repeated' : 'purchase');
    const { sessionId, app } = bought;
    const { userId } = this.wallet;
    const credits = microcredits(BigInt(bought.credits));
    await insist(() =>
      inTransaction((tx) =>
        bookPaidSession(tx, { userId, partnerId: this.partnerOf(app), credits, sessionId }),
      ),
    );
    this.model.buy(sessionId, app, bought.credits);
    if (!isRepeated) this.purchases.push(bought);
  }

  /** A payment with a promotion code, which is paid or ends unpaid. */
  private async buyWithCode(): Promise<void> {
    const name = this.pick(['perUser', 'limited', 'budgeted'] as const);
    const app = this.pick(APPS);
    const credits = this.below(120) + 1;
    const sessionId = newId('cks');
    const order = {
      userId: this.wallet.userId,
      partnerId: this.partnerOf(app),
      credits: wholeCredits(credits),
      sessionId,
    };
    const started = await insist(() => startWithCode(order, this.promotions[name]));
    if (name === 'perUser') {
      const expected =
        this.redeemed < 3 ? (Math.floor((credits * 37) / 100) > 0 ? 'bonus' : 'too_small') : 'used';
      this.expect('a code', 'refusal' in started ? started.refusal : 'bonus', expected);
    }
    if ('refusal' in started) return this.tally.operation(`code refused: ${started.refusal}`);
    if (this.random() < 0.3) {
      this.tally.operation('payment with a code expired');
      await insist(() =>
        prisma().checkoutSession.update({ where: { id: sessionId }, data: { status: 'expired' } }),
      );
      return;
    }
    if (name === 'perUser') this.redeemed++;
    this.tally.operation('purchase with a bonus');
    const book = () => insist(() => bookWithBonus(order));
    await (this.random() < 0.3 ? Promise.all([book(), book()]) : book());
    this.model.buy(sessionId, app, credits * CREDIT, Number(started.bonus));
    this.purchases.push({ sessionId, app, credits: credits * CREDIT, refunded: 0, dispute: 'none' });
  }

  private async redeemGift(): Promise<void> {
    const app = this.pick(APPS);
    const gift = await insist(() => newGift({ credits: wholeCredits(5), partnerId: this.partnerOf(app) }));
    const redeem = () => insist(() => redeemGiftLink(this.wallet.userId, gift.code));
    this.tally.operation('gift');
    const outcomes = await Promise.all(this.random() < 0.5 ? [redeem(), redeem()] : [redeem()]);
    for (const outcome of outcomes) this.expect('a gift', 'refusal' in outcome, false);
    this.model.grant(app, 5 * CREDIT);
  }

  /** What instances do about a low balance: claims compete, and the payment is booked once or twice. */
  private async topUp(): Promise<void> {
    const { userId } = this.wallet;
    const isDue = this.model.money - this.model.held < TOP_UP.threshold;
    await insist(() => prisma().autoTopUp.update({ where: { userId }, data: { startedAt: null } }));
    await insist(() => Promise.all([claimTopUp(userId), claimTopUp(userId)]));
    const { sessionId } = await insist(() => prisma().autoTopUp.findUniqueOrThrow({ where: { userId } }));
    this.tally.operation(isDue ? 'auto top-up' : 'auto top-up not due');
    this.expect('whether a top-up begins', sessionId !== null, isDue);
    if (sessionId === null) return;
    const credits = wholeCredits(TOP_UP.credits);
    const order = { userId, partnerId: OUTSIDE_ANY_APP, credits, sessionId };
    const book = () => insist(() => inTransaction((tx) => bookPaidSession(tx, order)));
    await (this.random() < 0.3 ? Promise.all([book(), book()]) : book());
    await insist(advanceTopUps);
    this.model.buy(sessionId, OUTSIDE_ANY_APP, Number(credits));
    const bought = { sessionId, app: OUTSIDE_ANY_APP, credits: Number(credits) };
    this.purchases.push({ ...bought, refunded: 0, dispute: 'none' });
  }

  private async grant(): Promise<void> {
    const app = this.pick(APPS);
    const amount = this.below(LARGEST / 4) + 1;
    const grant = {
      userId: this.wallet.userId,
      partnerId: this.partnerOf(app),
      grantId: newId('req'),
      note: 'a gift',
    };
    this.tally.operation('grant');
    await insist(() =>
      inTransaction((tx) => grantCredits(tx, { ...grant, credits: microcredits(BigInt(amount)) })),
    );
    this.model.grant(app, amount);
  }

  /** Limits an app, or all apps; stops and resumes them. What it changes is the same if it is repeated. */
  private async limit(): Promise<void> {
    const ofUser = ['*', ...APPS];
    const limited = this.pick([...ofUser, ...APPS.map((app) => `partner:${app}`)]);
    const of = limited.includes(':') ? 'limit of a partner' : 'limit';
    const chance = this.random();
    if (chance < 0.4) {
      this.tally.operation(`${of} saved`);
      const most = this.model.spentIn(limited) + this.below(3 * LARGEST) + 1;
      await insist(() => limitMonth(this.wallet, limited, microcredits(BigInt(most))));
      return this.model.limit(limited, { most });
    }
    if (chance < 0.8) {
      this.tally.operation(`${of} removed`);
      await insist(() => limitMonth(this.wallet, limited, null));
      return this.model.limit(limited, { most: null });
    }
    const scope = this.pick(ofUser);
    this.tally.operation('stopped and resumed');
    await insist(() => stopOrResume(this.wallet, scope, true));
    this.model.limit(scope, { isStopped: true });
    await this.request(this.pick(APPS), LARGEST);
    await insist(() => stopOrResume(this.wallet, scope, false));
    this.model.limit(scope, { isStopped: false });
  }

  private async save(): Promise<void> {
    const app = this.pick(APPS);
    const limit = this.random() < 0.2 ? null : this.below(2 * LARGEST);
    const { userId } = this.wallet;
    const saveId = newId('req');
    this.tally.operation('allowance saved');
    const allowance = limit === null ? null : microcredits(BigInt(limit));
    const save = () =>
      inTransaction((tx) => saveAllowance(tx, { userId, partnerId: this.partnerOf(app), allowance, saveId }));
    await insist<unknown>(() => (this.random() < 0.2 ? Promise.all([save(), save()]) : save()));
    this.model.save(app, limit);
  }

  /** The next event of a payment, booked from the state of the payment as the handler of events does. */
  private async reverse(): Promise<void> {
    if (this.purchases.length === 0) return this.buy();
    const bought = this.pick(this.purchases);
    this.tally.operation(this.nextEvent(bought));
    await this.bookReversals(bought);
  }

  /** The user has unused credits refunded. Instances may decide it twice, and after a lost answer. */
  private async refundUnused(): Promise<void> {
    const { userId } = this.wallet;
    const since = new Date(0);
    // The model has no kept holds between requests.
    await insist(returnIdleHolds);
    const expected = this.findRefundable();
    const [next] = await insist(() => readRefundable(userId, since));
    this.expect('what may be refunded', next?.refundMinor ?? 0, expected?.minor ?? 0);
    this.tally.operation(next === undefined ? 'nothing to refund' : 'refund by the user');
    if (next === undefined || expected === undefined) return;
    const order = {
      userId,
      refundId: newId('req'),
      purchaseId: next.purchaseId,
      since,
      month: since,
      most: 1e6,
    };
    const ask = () => insist(() => inTransaction((tx) => askRefund(tx, order)));
    const decided = await Promise.all(this.random() < 0.3 ? [ask(), ask()] : [ask()]);
    for (const refund of decided) this.expect('the refund', refund?.amountMinor, expected.minor);
    const { bought } = expected;
    bought.refunded += expected.minor;
    this.model.clawBack(bought.sessionId, { refunded: bought.refunded * CREDIT, disputed: 0 });
  }

  /** The oldest purchase of which something is left, and the most of it that its pocket and the wallet still have. */
  private findRefundable(): { bought: Bought; minor: number } | undefined {
    for (const bought of this.purchases) {
      if (bought.dispute === 'open' || bought.dispute === 'lost') continue;
      const { own, ownHeld, granted } = this.model.pocket(bought.app);
      const unspent = own - ownHeld - Math.max(0, granted);
      const available = Math.min(own - ownHeld, this.model.money - this.model.held);
      for (let minor = bought.credits / CREDIT - bought.refunded; minor > 0; minor--) {
        const [taken, bonus] = this.model.wouldTake(bought.sessionId, (bought.refunded + minor) * CREDIT);
        if (taken <= unspent && taken + bonus <= available) return { bought, minor };
      }
    }
    return undefined;
  }

  /** The credits are taken back in one booking, whatever events arrived. */
  private async bookReversals(bought: Bought): Promise<void> {
    const isDisputed = bought.dispute === 'open' || bought.dispute === 'lost';
    const wholeCredits = bought.credits / CREDIT;
    const { refunded } = bought;
    const disputed = isDisputed ? wholeCredits : 0;
    const { sessionId } = bought;
    const book = () => insist(() => takeBack(this.wallet, sessionId, { refunded, disputed }));
    await (this.random() < 0.3 ? Promise.all([book(), book()]) : book());
    this.model.clawBack(sessionId, { refunded: refunded * CREDIT, disputed: disputed * CREDIT });
  }

  private nextEvent(bought: Bought): string {
    if (this.random() < 0.5) {
      const hasFailed = bought.refunded > 0 && this.random() < 0.2;
      const most = bought.credits / CREDIT;
      bought.refunded = hasFailed
        ? this.below(bought.refunded)
        : Math.min(most, bought.refunded + 1 + this.below(0.6 * most));
      return hasFailed ? 'refund failed' : 'refund';
    }
    const before = bought.dispute;
    bought.dispute = this.pick(NEXT_DISPUTES[before]);
    return DISPUTE_EVENTS[`${before} ${bought.dispute}`] ?? 'dispute unchanged';
  }

  /** A part of a charge, or all of it, is given back. Several instances book it, and others at the same time. */
  private async correct(): Promise<void> {
    if (this.captured.length === 0) return this.settle();
    const requestId = this.pick(this.captured);
    const left = (this.model.taken.get(requestId) ?? []).reduce((sum, { credits }) => sum + credits, 0);
    if (left === 0) return this.settle();
    const credits = this.random() < 0.3 ? left : this.below(left) + 1;
    this.tally.operation('correction');
    const wish = { requestId, credits: microcredits(BigInt(credits)) };
    const batchId = await insist(async () => {
      // Of an attempt whose answer was lost with the database.
      await pool().query(
        `UPDATE correction_batch b SET state = 'discarded' FROM correction c
         WHERE b.state = 'proposed' AND c.batch_id = b.id AND c.transaction_id = 'txn_' || substr($1, 5)`,
        [requestId],
      );
      return proposeCredits([wish]);
    });
    if (batchId === null) throw new Error('nothing to correct');
    await insist(() => approve(batchId));
    await insist(async () => {
      await Promise.all([bookCorrections(), bookCorrections()]);
      const { state } = await prisma().correctionBatch.findUniqueOrThrow({ where: { id: batchId } });
      if (state !== 'booked') throw new Error(`the batch is ${state}`);
    });
    this.model.correct(requestId, credits);
  }

  private async payOut(): Promise<void> {
    const times = this.random() < 0.3 ? 2 : 1;
    if (this.random() < 0.4) return this.payouts.giveBack((payouts) => this.pick(payouts), times);
    await this.payouts.plan(times, BigInt(this.random() < 0.2 ? this.below(LARGEST) : 0));
  }

  private async read(): Promise<void> {
    const app = this.pick(APPS);
    this.tally.operation('balance read');
    const { balance, status } = await insist(() => readSpendable(this.wallet.userId, this.partnerOf(app)));
    this.expect('a balance', Number(balance), this.model.balance(app));
    const expected = this.model.status(app, Number(minimumBalance()));
    this.expect('a status', status, STATUS[expected] ?? expected);
  }

  private takeHold(): Hold | null {
    const [hold] = this.holds.splice(this.below(this.holds.length), 1);
    return hold ?? null;
  }

  private readonly expect = (what: string, found: unknown, expected: unknown): void => {
    if (found !== expected)
      this.tally.violation(`step ${this.steps}: ${what} is ${found}, and the model says ${expected}`);
  };

  private appOf(name: string): { id: string; keyHash: Buffer } {
    const app = this.wallet.apps[name];
    if (app === undefined) throw new Error(`There is no app ${name}`);
    return app;
  }

  private readonly partnerOf = (app: string): string => (app === OUTSIDE_ANY_APP ? app : this.appOf(app).id);

  private readonly below = (limit: number): number => Math.floor(this.random() * limit);

  /** A provider cost whose charge is within the hold. */
  private readonly amount = (held: Microcredits): number =>
    Math.floor((this.random() * Number(held) * 10_000) / (10_000 + this.rateBp));

  private pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new Error('There is nothing to choose from');
    return chosen;
  }
}

async function turnOnAutoTopUp(userId: string): Promise<void> {
  await prisma().user.create({ data: { id: userId, email: `${userId}@example.com` } });
  await prisma().autoTopUp.create({
    data: {
      userId,
      state: 'on',
      threshold: BigInt(TOP_UP.threshold),
      currency: 'usd',
      amountMinor: TOP_UP.credits,
      ceilingMinor: 2_000_000_000,
      consentId: 'cns_1',
      cardId: 'pm_1',
      cardBrand: 'visa',
      cardLast4: '4242',
      updatedAt: nowDate(),
    },
  });
}

const NEXT_DISPUTES: Record<Dispute, Dispute[]> = {
  none: ['inquiry', 'open'],
  inquiry: ['open', 'none'],
  open: ['won', 'lost'],
  won: ['open'],
  lost: ['lost'],
};

const DISPUTE_EVENTS: Record<string, string> = {
  'none inquiry': 'inquiry',
  'none open': 'dispute',
  'inquiry open': 'inquiry escalated to a dispute',
  'inquiry none': 'inquiry closed',
  'open won': 'dispute won',
  'open lost': 'dispute lost',
  'won open': 'disputed again',
};
