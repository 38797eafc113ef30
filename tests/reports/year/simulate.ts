import { DAY_MS, MINUTE_MS } from '@/server/base/clock';
import { type Charge, chargeFor, wholeCredits } from '@/server/base/credits';
import { newPublishableKey } from '@/server/base/tokens';
import { hourOf } from '@/server/gateway/counts/tally';
import { type PriceVersion, priceVersions } from '@/server/gateway/pricing/catalog';
import { costOf } from '@/server/gateway/pricing/cost';
import type { TokenUsage } from '@/server/gateway/protocols/neutral';
import { type Chance, chanceFrom } from './chance';
import { YEAR_APPS, type YearApp } from './people';
import { noRows, type Rows } from './rows';
import { planRequests, planUsers, type YearRequest, type YearUser } from './traffic';
import { Wallet } from './wallet';

/**
 * A year as the product would have written it: users buy when they run out or allow an app to use what
 * they bought elsewhere, are charged real prices, and sometimes get a refund.
 */
export function simulateYear(options: { seed: number; requests: number; end: number }): Rows {
  return new YearOfActivity(chanceFrom(options.seed), options.end).run(options.requests);
}

const EUR_RATE = '1.080000';
const MINIMUM = wholeCredits(1);
const REFUND_PART = 0.02;
const AMOUNTS = [
  [5, 4],
  [10, 6],
  [25, 4],
  [50, 1],
  [100, 0.3],
] as const;
const LIMITS = [
  [100, 3],
  [300, 3],
  [500, 2],
  [1_000, 1],
] as const;
const REFUSALS = [
  ['insufficient_credits', 6],
  ['partner_limit_reached', 3],
  ['partner_not_permitted', 2],
  ['rate_limited', 2],
  ['invalid_request', 2],
  ['upstream_error', 2],
] as const;
const FAILING_PROVIDERS = [
  ['openai', 3],
  ['anthropic', 2],
  ['google', 2],
] as const;
const OUTCOMES = [
  ['completed', 96],
  ['aborted', 3],
  ['failed', 1],
] as const;
const DEVICES = [
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/142.0 Safari/537.36', 4],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Version/19.1 Safari/604.1',
    3,
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 2],
] as const;

/** Every row names the same columns. */
const NOTHING_ELSE = {
  cause_id: null,
  credits_added: null,
  allowance_saved: null,
  allowance_spent: null,
  related_id: null,
  note: null,
  postings: null,
  key_id: null,
  model: null,
  provider: null,
  price_version: null,
  input_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  cache_write_1h_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  held: null,
  provider_cost: null,
  partner_share: null,
  estimated: null,
  cost_reported: null,
  rate_bp: null,
  outcome: null,
};

type UserState = {
  user: YearUser;
  wallet: Wallet;
  keys: Map<string, string>;
  /** The time of the newest row; the next one is later. */
  lastAt: number;
  refunds: {
    at: number;
    app: string;
    purchase: { session_id: string; refunded_minor: number };
    minor: number;
    credits: bigint;
  }[];
};

class YearOfActivity {
  private readonly rows = noRows();
  private readonly states = new Map<string, UserState>();
  private readonly prices = new Map(priceVersions().map(({ model, versions }) => [model.id, versions]));

  constructor(
    private readonly chance: Chance,
    private readonly end: number,
  ) {}

  run(requests: number): Rows {
    for (const app of YEAR_APPS) this.openApp(app);
    const users = planUsers(this.chance, requests, this.end);
    for (const user of users) this.states.set(user.id, this.openUser(user));
    for (const request of planRequests(this.chance, users, this.end)) this.serve(request);
    for (const state of this.states.values()) this.closeUser(state);
    this.refuseSome();
    this.rows.ledger_transaction.sort((a, b) => Number(a.created_at_ms) - Number(b.created_at_ms));
    for (const row of this.rows.ledger_transaction) delete row.created_at_ms;
    return this.rows;
  }

  /** Refused requests leave counts only: a few hours of every day, and one bad day of a provider. */
  private refuseSome(): void {
    const badDay = this.chance.between(5, 25);
    for (let day = 0; day < 365; day++) {
      const count = day === badDay ? 180 : this.chance.between(1, 6);
      const hour = iso(hourOf(this.end - day * DAY_MS - this.chance.between(1, 22) * 60 * MINUTE_MS));
      for (const { id } of YEAR_APPS.slice(0, 5))
        this.rows.refusal_hour.push({ hour, partner_id: id, code: this.chance.pick(REFUSALS), count });
      this.rows.provider_failure_hour.push({
        hour,
        provider: day === badDay ? 'anthropic' : this.chance.pick(FAILING_PROVIDERS),
        kind: 'unavailable',
        status: 503,
        count,
        last_at: hour,
      });
    }
  }

  private openApp(app: YearApp): void {
    const createdAt = iso(this.end - 366 * DAY_MS);
    this.rows.partner.push({
      id: app.id,
      name: app.name,
      name_approved_at: createdAt,
      publishable_key: newPublishableKey(),
      team_id: this.openTeam(app.ownerEmail, createdAt),
      rate_bp: app.rateBp,
      allowed_models: app.allModels ? [] : Object.keys(app.models),
      all_models: app.allModels,
      disabled_at: app.disabled ? iso(this.end - 3 * DAY_MS) : null,
      created_at: createdAt,
    });
    this.rows.partner_rate.push({
      partner_id: app.id,
      rate_bp: app.rateBp,
      effective_at: createdAt,
      applied_at: createdAt,
    });
    this.rows.partner_origin.push({ partner_id: app.id, origin: app.origin, created_at: createdAt });
  }

  /** One team for each owner. */
  private openTeam(email: string, createdAt: string): string {
    const found = this.rows.team_member.find((member) => member.email === email);
    if (found) return String(found.team_id);
    const id = `tm_${`Year${this.rows.team.length}`.padEnd(22, '0')}`;
    this.rows.team.push({ id, name: email, created_at: createdAt });
    this.rows.team_member.push({ team_id: id, email, role: 'owner', added_at: createdAt });
    return id;
  }

  private openUser(user: YearUser): UserState {
    const createdAt = iso(user.joinedAt - MINUTE_MS);
    this.rows.user.push({ id: user.id, email: user.email, created_at: createdAt });
    const devices = Array.from({ length: this.chance.between(1, 4) }, () => this.openDevice(user));
    const keys = new Map(user.apps.map((app) => [app.id, this.mintKey(user, app, devices)]));
    return {
      user,
      wallet: new Wallet(user.apps.map(({ id }) => id)),
      keys,
      lastAt: user.joinedAt - MINUTE_MS,
      refunds: [],
    };
  }

  private openDevice(user: YearUser): string {
    const id = this.chance.id('ses');
    this.rows.session.push({
      id,
      user_id: user.id,
      token_hash: this.hash(),
      user_agent: this.chance.pick(DEVICES),
      created_at: iso(user.joinedAt - MINUTE_MS),
      last_seen_at: iso(this.end - this.chance.between(0, 25 * DAY_MS)),
      expires_at: iso(this.end + 90 * DAY_MS),
    });
    return id;
  }

  private mintKey(user: YearUser, app: YearApp, devices: readonly string[]): string {
    const id = this.chance.id('key');
    this.rows.user_key.push({
      id,
      user_id: user.id,
      partner_id: app.id,
      session_id: devices[0],
      hash: this.hash(),
      last4: id.slice(-4),
      created_at: iso(user.joinedAt - MINUTE_MS / 2),
      last_used_at: iso(this.end - this.chance.between(0, DAY_MS)),
    });
    return id;
  }

  private serve(request: YearRequest): void {
    const state = this.states.get(request.user.id) as UserState;
    const { app } = request;
    this.refundDue(state, request.at);
    const model = this.chance.pick(Object.entries(app.models));
    const version = this.priceOf(model, request.at);
    const tokens = chooseTokens(this.chance);
    const charge = chargeFor(costOf(tokens, version.prices), app.rateBp);
    while (state.wallet.spendable(app.id) < larger(charge.charge, MINIMUM)) this.fund(state, app, request.at);
    this.settle(state, request, { model, version, tokens, charge });
  }

  /** Removes whatever blocks a request, as its user would. */
  private fund(state: UserState, app: YearApp, before: number): void {
    const at = this.momentBefore(state, before);
    const { wallet } = state;
    const elsewhere = wallet.money - wallet.pocket(app.id).own;
    if (elsewhere > wholeCredits(100) && this.chance.happens(0.7)) return this.allow(state, app, at);
    if (this.chance.happens(0.02)) return this.grant(state, at);
    if (this.chance.happens(0.25)) this.abandonPayment(state, app, at);
    this.buy(state, app, at);
  }

  private allow(state: UserState, app: YearApp, at: number): void {
    const limit = wholeCredits(this.chance.pick(LIMITS));
    const before = state.wallet.spendable(app.id);
    const after = state.wallet.allow(app.id, limit);
    this.book(state, at, {
      partner_id: app.id,
      kind: 'permission',
      cause_id: this.chance.id('req'),
      credits: 0n,
      balance_after: after,
      credits_added: larger(0n, after - before),
      allowance_saved: limit,
    });
  }

  private grant(state: UserState, at: number): void {
    const credits = wholeCredits(this.chance.between(50, 300));
    state.wallet.add('', credits);
    this.book(state, at, {
      partner_id: '',
      kind: 'adjustment',
      cause_id: this.chance.id('req'),
      credits,
      balance_after: credits,
      credits_added: credits,
      note: 'granted by the operator',
      postings: pocketAgainst('', credits, 'promotion_expense'),
    });
  }

  private buy(state: UserState, app: YearApp, at: number): void {
    const order = this.order(state, app, at);
    const session = { ...order, status: 'completed', completed_at: iso(at) };
    this.rows.checkout_session.push(session);
    const before = state.wallet.spendable(app.id);
    const after = state.wallet.add(app.id, order.credits);
    const id = this.book(state, at, {
      partner_id: app.id,
      kind: 'purchase',
      cause_id: order.id,
      credits: order.credits,
      balance_after: after,
      credits_added: larger(0n, after - before),
      postings: pocketAgainst(app.id, order.credits, 'processor_clearing'),
    });
    const { currency, amount_minor, rate, credits } = order;
    const purchase = {
      id,
      refunded_minor: 0,
      user_id: state.user.id,
      partner_id: app.id,
      session_id: order.id,
      currency,
      amount_minor,
      rate,
      credits,
      created_at: iso(at),
    };
    this.rows.purchase.push(purchase);
    if (this.chance.happens(REFUND_PART)) {
      const part = this.chance.happens(0.3) ? 2 : 1;
      state.refunds.push({
        at: at + this.chance.between(DAY_MS / 8, 12 * DAY_MS),
        app: app.id,
        purchase,
        minor: amount_minor / part,
        credits: order.credits / BigInt(part),
      });
    }
  }

  private abandonPayment(state: UserState, app: YearApp, at: number): void {
    const failed = this.chance.happens(0.2);
    this.rows.checkout_session.push({
      ...this.order(state, app, at),
      status: failed ? 'failed' : 'expired',
      failure: failed ? 'declined' : null,
      completed_at: null,
    });
  }

  private order(state: UserState, app: YearApp, at: number) {
    const [currency, rate, factor] = this.chance.happens(0.3)
      ? (['eur', EUR_RATE, 108n] as const)
      : (['usd', '1.000000', 100n] as const);
    const amount = this.chance.pick(AMOUNTS);
    return {
      id: this.chance.id('cks'),
      user_id: state.user.id,
      partner_id: app.id,
      status: 'open',
      currency,
      amount_minor: amount * 100,
      rate,
      credits: wholeCredits(BigInt(amount) * factor) as bigint,
      checkout_mode: 'embedded',
      processor_session_id: this.chance.id('cs_year'),
      failure: null as string | null,
      created_at: iso(at - 45_000),
      expires_at: iso(at + 30 * MINUTE_MS),
      completed_at: null as string | null,
    };
  }

  private refundDue(state: UserState, now: number): void {
    const due = state.refunds.filter(({ at }) => at <= now);
    state.refunds = state.refunds.filter(({ at }) => at > now);
    for (const { at, app, purchase, minor, credits } of due) {
      purchase.refunded_minor = minor;
      this.book(state, this.momentBefore(state, at + 1), {
        partner_id: app,
        kind: 'refund',
        cause_id: `${purchase.session_id}:1`,
        related_id: purchase.session_id,
        credits: -credits,
        balance_after: state.wallet.add(app, -credits),
        note: 'refund',
        postings: pocketAgainst(app, -credits, 'processor_clearing'),
      });
    }
  }

  private settle(state: UserState, request: YearRequest, facts: Facts): void {
    const { app } = request;
    const { charge } = facts.charge;
    const at = Math.max(request.at, state.lastAt + 1);
    const spendable = state.wallet.spendable(app.id);
    const held = smaller(spendable, (charge * BigInt(this.chance.between(120, 400))) / 100n);
    const taken = state.wallet.take(app.id, charge);
    const elsewhere = taken.reduce(
      (sum, { app: from, amount }) => (from === app.id ? sum : sum + amount),
      0n,
    );
    this.book(state, at, {
      partner_id: app.id,
      kind: 'usage',
      credits: -charge,
      balance_after: state.wallet.spendable(app.id),
      allowance_spent: elsewhere > 0n ? elsewhere : null,
      postings: elsewhere > 0n ? settlementPostings(app.id, taken, facts.charge) : null,
      key_id: state.keys.get(app.id),
      model: facts.model,
      provider: facts.model.split('/')[0],
      price_version: facts.version.name,
      input_tokens: facts.tokens.input,
      cache_read_tokens: facts.tokens.cacheRead,
      cache_write_tokens: facts.tokens.cacheWrite5m,
      cache_write_1h_tokens: facts.tokens.cacheWrite1h,
      output_tokens: facts.tokens.output,
      reasoning_tokens: facts.tokens.reasoning,
      held: larger(held, charge),
      provider_cost: facts.charge.providerCost,
      partner_share: facts.charge.partnerShare,
      estimated: this.chance.happens(0.01),
      cost_reported: false,
      rate_bp: app.rateBp,
      outcome: this.chance.pick(OUTCOMES),
    });
  }

  private book(state: UserState, at: number, facts: Record<string, unknown>): string {
    const row = {
      user_id: state.user.id,
      id: this.chance.id('txn', at),
      ...NOTHING_ELSE,
      ...facts,
      created_at: iso(at),
      created_at_ms: at,
    };
    state.lastAt = at;
    this.rows.ledger_transaction.push(row);
    return row.id;
  }

  private closeUser(state: UserState): void {
    this.refundDue(state, this.end);
    const { user, wallet } = state;
    this.rows.wallet.push({ user_id: user.id, money: wallet.money, held: 0, running: 0 });
    for (const [app, pocket] of wallet.pockets) {
      this.rows.user_app.push({
        user_id: user.id,
        partner_id: app,
        app_user_id: app === '' ? null : this.chance.id('au'),
        own: pocket.own,
        own_held: 0,
        allowance_left: pocket.allowanceLeft,
        allowance_saved: pocket.allowanceSaved,
        epoch: pocket.epoch,
        created_at: iso(user.joinedAt - MINUTE_MS / 2),
      });
    }
  }

  private priceOf(model: string, at: number): PriceVersion {
    const day = iso(at).slice(0, 10);
    const versions = this.prices.get(model) ?? [];
    const version = versions.findLast(({ from }) => from <= day) ?? versions[0];
    if (!version) throw new Error(`The catalogue has no ${model}`);
    return version;
  }

  /** Some time in the last minute, and after everything else of the user. */
  private momentBefore(state: UserState, before: number): number {
    return Math.max(state.lastAt + 1, before - this.chance.between(2, MINUTE_MS));
  }

  private hash(): string {
    return `\\x${Array.from({ length: 32 }, () => this.chance.between(0, 256).toString(16).padStart(2, '0')).join('')}`;
  }
}

type Facts = {
  model: string;
  version: PriceVersion;
  tokens: TokenUsage;
  charge: Charge;
};

const iso = (at: number): string => new Date(at).toISOString();
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function pocketAgainst(app: string, credits: bigint, against: string): object[] {
  return [
    { account: 'pocket', partner_id: app, amount: Number(credits) },
    { account: against, partner_id: '', amount: Number(-credits) },
  ];
}

function settlementPostings(
  app: string,
  taken: readonly { app: string; amount: bigint }[],
  { providerCost, partnerShare }: Charge,
): object[] {
  return [
    ...taken.map(({ app: from, amount }) => ({
      account: 'pocket',
      partner_id: from,
      amount: Number(-amount),
    })),
    { account: 'provider_cost', partner_id: '', amount: Number(providerCost) },
    { account: 'partner_earnings', partner_id: app, amount: Number(partnerShare) },
  ].filter(({ amount }) => amount !== 0);
}

function chooseTokens(chance: Chance): TokenUsage {
  const prompt = chance.skewed(2_200);
  const cacheRead = chance.happens(0.35) ? Math.floor(prompt * chance.next() * 0.9) : 0;
  const cacheWrite5m = chance.happens(0.1) ? Math.floor((prompt - cacheRead) / 2) : 0;
  const output = chance.skewed(480);
  return {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: chance.happens(0.3) ? Math.floor(output / 2) : 0,
  };
}
