/** The credits of one user of the year, by the ledger's rules, without concurrency. */

const OUTSIDE = '';
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const atLeastZero = (a: bigint): bigint => (a > 0n ? a : 0n);

type Pocket = { own: bigint; allowanceLeft: bigint; allowanceSaved: bigint | null; epoch: number };

export class Wallet {
  /** In the order in which they were opened. */
  readonly pockets = new Map<string, Pocket>();

  constructor(apps: readonly string[]) {
    for (const app of [OUTSIDE, ...apps])
      this.pockets.set(app, { own: 0n, allowanceLeft: 0n, allowanceSaved: null, epoch: 0 });
  }

  pocket(app: string): Pocket {
    const pocket = this.pockets.get(app);
    if (!pocket) throw new Error(`no pocket ${app}`);
    return pocket;
  }

  get money(): bigint {
    return [...this.pockets.values()].reduce((sum, { own }) => sum + own, 0n);
  }

  spendable(app: string): bigint {
    const { own, allowanceLeft } = this.pocket(app);
    return atLeastZero(least(this.money, atLeastZero(own) + allowanceLeft));
  }

  /** Adds credits or takes them back; returns what the app can spend after it. */
  add(app: string, credits: bigint): bigint {
    this.pocket(app).own += credits;
    return this.spendable(app);
  }

  allow(app: string, limit: bigint): bigint {
    const pocket = this.pocket(app);
    Object.assign(pocket, { allowanceLeft: limit, allowanceSaved: limit, epoch: pocket.epoch + 1 });
    return this.spendable(app);
  }

  /**
   * Takes a charge that is affordable: from the app's own pocket, then credits outside any app, then other
   * apps'.
   */
  take(app: string, charge: bigint): { app: string; amount: bigint }[] {
    const pocket = this.pocket(app);
    const own = least(charge, atLeastZero(pocket.own));
    const taken = [{ app, amount: own }];
    let rest = charge - own;
    pocket.allowanceLeft -= rest;
    for (const [other, { own: available }] of this.pockets) {
      if (other === app) continue;
      const part = least(rest, atLeastZero(available));
      taken.push({ app: other, amount: part });
      rest -= part;
    }
    if (rest > 0n) throw new Error('more was taken than could be spent');
    for (const { app: from, amount } of taken) this.pocket(from).own -= amount;
    return taken.filter(({ amount }) => amount > 0n);
  }
}
