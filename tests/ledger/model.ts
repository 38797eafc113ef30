/**
 * A simple model of the ledger's rules: one user, numbers in memory, no concurrency. The real ledger
 * is compared with it after every step.
 */
type Pocket = {
  own: number;
  granted: number;
  ownHeld: number;
  allowanceLeft: number;
  allowanceSaved: number | null;
  epoch: number;
};
/** A kept hold can reserve more than the amount that its request may take. */
type Held = { app: string; amount: number; reserved: number; own: number; epoch: number; budgets: string[] };
/** The budgets that a request draws on, and the least that it costs. */
type Draw = { budgets: string[]; cost: number };
/** A limit per month of the user or of a partner, and a stop. */
type Limit = { most: number | null; isStopped: boolean };
type Taken = { pocket: Pocket; credits: number; granted: number };
type Purchase = { app: string; credits: number; bonus: number; taken: number; bonusTaken: number };

export class Model {
  readonly pockets = new Map<string, Pocket>();
  readonly holds = new Map<string, Held>();
  readonly purchases = new Map<string, Purchase>();
  /** Per app and epoch: what was taken from other pockets, and the allowance for it. */
  readonly drawn = new Map<string, { taken: number; limit: number }>();
  /** By app, or '*' for all; those of a partner by `partner:` and the app. A model lives for less than a month. */
  readonly limits = new Map<string, Limit>();
  readonly spent = new Map<string, number>();
  /** Of run keys and runs, by their ids. */
  readonly budgets = new Map<string, { credits: number; spent: number }>();
  /** What each request took, in order: of its own pocket first. */
  readonly taken = new Map<string, Taken[]>();
  /** What charges exceeded their holds by. */
  overrun = 0;

  /** `apps` are in the order in which their pockets were opened. */
  constructor(
    apps: string[],
    readonly overrunLimit: number,
  ) {
    for (const app of apps)
      this.pockets.set(app, {
        own: 0,
        granted: 0,
        ownHeld: 0,
        allowanceLeft: 0,
        allowanceSaved: null,
        epoch: 0,
      });
  }

  pocket(app: string): Pocket {
    const pocket = this.pockets.get(app);
    if (!pocket) throw new Error(`no pocket ${app}`);
    return pocket;
  }

  get money(): number {
    return [...this.pockets.values()].reduce((sum, pocket) => sum + pocket.own, 0);
  }

  get held(): number {
    return [...this.holds.values()].reduce((sum, hold) => sum + hold.reserved, 0);
  }

  balance(app: string): number {
    const { own, ownHeld, allowanceLeft } = this.pocket(app);
    const left = this.leftByLimits(app, (hold) => hold.reserved);
    return Math.max(0, Math.min(left, this.money - this.held, Math.max(0, own - ownHeld) + allowanceLeft));
  }

  /** What the limits leave the app, less what `held` counts of each running request. */
  private leftByLimits(app: string, held: (hold: Held) => number): number {
    let left = Number.POSITIVE_INFINITY;
    for (const scope of ['*', app, `partner:${app}`]) {
      const { most, isStopped } = this.limits.get(scope) ?? { most: null, isStopped: false };
      if (isStopped) return 0;
      if (most === null) continue;
      const holds = [...this.holds.values()].filter((hold) => scope === '*' || hold.app === app);
      left = Math.min(left, most - this.spentIn(scope) - holds.reduce((sum, hold) => sum + held(hold), 0));
    }
    return left;
  }

  /** What counts for the limits of a scope. */
  spentIn(scope: string): number {
    return this.spent.get(scope.replace('partner:', '')) ?? 0;
  }

  status(app: string, need: number): string {
    const { own, allowanceLeft, allowanceSaved, epoch } = this.pocket(app);
    if (this.overrun > this.overrunLimit) return 'paused_for_review';
    if (this.leftByLimits(app, () => 0) < need) return 'limit_reached';
    if (this.balance(app) >= need) return 'ok';
    const reserved = [...this.holds.values()].filter((hold) => hold.app === app && hold.epoch === epoch);
    const releasable = reserved.reduce((sum, hold) => sum + hold.reserved - hold.own, 0);
    if (Math.min(this.money, Math.max(0, own) + allowanceLeft + releasable) >= need) return 'busy';
    if (this.money < need) return 'insufficient_credits';
    return allowanceSaved ? 'partner_limit_reached' : 'partner_not_permitted';
  }

  /** Places a hold of at most `want`, or returns the refusal. Beyond `enough`, it leaves as much as it takes. */
  hold(
    id: string,
    app: string,
    want: number,
    need: number,
    { budgets, cost }: Draw = { budgets: [], cost: 0 },
    enough = want,
  ): string {
    const status = this.status(app, need);
    if (status === 'paused_for_review' || status === 'limit_reached') return status;
    if (this.leftOf(budgets, () => 0) < cost) return 'limit_reached';
    if (status !== 'ok') return status;
    const left = this.leftOf(budgets, (hold) => hold.amount);
    if (left < cost) return 'busy';
    const pocket = this.pocket(app);
    const balance = this.balance(app);
    const amount = Math.min(want, left, balance, Math.max(need, enough, Math.floor(balance / 2)));
    const own = Math.min(amount, Math.max(0, pocket.own - pocket.ownHeld));
    pocket.ownHeld += own;
    pocket.allowanceLeft -= amount - own;
    this.holds.set(id, { app, amount, reserved: amount, own, epoch: pocket.epoch, budgets });
    return 'held';
  }

  /** What these budgets leave, less what `held` counts of each running request. */
  private leftOf(budgets: string[], held: (hold: Held) => number): number {
    return Math.min(
      ...budgets.map((name) => {
        const { credits, spent } = this.budgets.get(name) ?? { credits: 0, spent: 0 };
        const holds = [...this.holds.values()].filter((hold) => hold.budgets.includes(name));
        return credits - spent - holds.reduce((sum, hold) => sum + held(hold), 0);
      }),
    );
  }

  /** The request uses a kept hold, which is of the own pocket only. */
  useKept(id: string, reserved: number): void {
    const hold = this.holds.get(id);
    if (!hold) throw new Error(`no hold ${id}`);
    this.pocket(hold.app).ownHeld += reserved - hold.reserved;
    hold.own += reserved - hold.reserved;
    hold.reserved = reserved;
  }

  /** Captures at most the hold: own pocket, then credits outside any app, then other apps in order. */
  settle(id: string, charge: number): number {
    const hold = this.holds.get(id);
    if (!hold) return 0;
    this.holds.delete(id);
    const pocket = this.pocket(hold.app);
    const take = Math.min(charge, hold.amount);
    this.overrun += charge - take;
    for (const scope of ['*', hold.app]) this.spent.set(scope, (this.spent.get(scope) ?? 0) + take);
    for (const name of hold.budgets) {
      const budget = this.budgets.get(name);
      if (budget) budget.spent += take;
    }
    const ownWanted = Math.min(take, Math.max(hold.own, pocket.own - pocket.ownHeld + hold.own));
    let elsewhere = take - ownWanted;
    const taken: Taken[] = [];
    for (const [app, other] of this.pockets) {
      if (app === hold.app) continue;
      const part = Math.min(elsewhere, Math.max(0, other.own - other.ownHeld));
      taken.push(this.spend(other, part));
      elsewhere -= part;
    }
    this.taken.set(id, [this.spend(pocket, ownWanted + elsewhere), ...taken]);
    pocket.ownHeld -= hold.own;
    if (hold.epoch === pocket.epoch) pocket.allowanceLeft += hold.reserved - hold.own - (take - ownWanted);
    const drawn = this.drawn.get(`${hold.app}:${hold.epoch}`);
    if (drawn) drawn.taken += take - ownWanted;
    return take;
  }

  /** An operator ends a pause. */
  resume(): boolean {
    if (this.overrun <= this.overrunLimit) return false;
    this.overrun = 0;
    return true;
  }

  /** Granted credits are spent first. */
  private spend(pocket: Pocket, credits: number): Taken {
    const granted = Math.min(Math.max(0, pocket.granted), credits);
    pocket.own -= credits;
    pocket.granted -= granted;
    return { pocket, credits, granted };
  }

  /** What a request took last returns first, bought credits before granted ones. */
  correct(id: string, credits: number): void {
    let left = credits;
    for (const part of (this.taken.get(id) ?? []).toReversed()) {
      const back = Math.min(left, part.credits);
      const granted = Math.max(0, part.granted - (part.credits - back));
      part.pocket.own += back;
      part.pocket.granted += granted;
      part.credits -= back;
      part.granted -= granted;
      left -= back;
    }
  }

  grant(app: string, credits: number): void {
    this.pocket(app).own += credits;
    this.pocket(app).granted += credits;
  }

  /** `bonus` are granted credits of a promotion. */
  buy(session: string, app: string, credits: number, bonus = 0): void {
    if (this.purchases.has(session)) return;
    this.purchases.set(session, { app, credits, bonus, taken: 0, bonusTaken: 0 });
    this.pocket(app).own += credits;
    this.grant(app, bonus);
  }

  limit(scope: string, limit: Partial<Limit>): void {
    this.limits.set(scope, { most: null, isStopped: false, ...this.limits.get(scope), ...limit });
  }

  save(app: string, limit: number | null): void {
    const pocket = this.pocket(app);
    Object.assign(pocket, { allowanceLeft: limit ?? 0, allowanceSaved: limit, epoch: pocket.epoch + 1 });
    this.drawn.set(`${app}:${pocket.epoch}`, { taken: 0, limit: limit ?? 0 });
  }

  /** The credits of a purchase, and of its bonus, that a total of refunds would take in addition. */
  wouldTake(session: string, refunded: number): [credits: number, bonus: number] {
    const purchase = this.purchases.get(session);
    if (!purchase) return [0, 0];
    const bonus = Number((BigInt(purchase.bonus) * BigInt(refunded)) / BigInt(purchase.credits));
    return [refunded - purchase.taken, bonus - purchase.bonusTaken];
  }

  clawBack(session: string, { refunded, disputed }: { refunded: number; disputed: number }): void {
    const purchase = this.purchases.get(session);
    if (!purchase) return;
    const taken = Math.min(refunded + disputed, purchase.credits);
    this.pocket(purchase.app).own -= taken - purchase.taken;
    purchase.taken = taken;
    // In proportion, spent or not: what is missing is owed as granted credits.
    const bonusTaken = Number((BigInt(purchase.bonus) * BigInt(taken)) / BigInt(purchase.credits));
    this.grant(purchase.app, purchase.bonusTaken - bonusTaken);
    purchase.bonusTaken = bonusTaken;
  }
}
