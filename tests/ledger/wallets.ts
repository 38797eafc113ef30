import { type Microcredits, type Picocredits, wholeCredits } from '../../server/base/credits';
import { inTransaction, pool, prisma } from '../../server/base/db';
import { newId, sha256 } from '../../server/base/ids';
import {
  ALL_APPS,
  admit,
  clawBack,
  grantCredits,
  openUserApp,
  readSpendable,
  resumeSpending,
  saveAllowance,
  saveLimits,
  stopSpending,
} from '../../server/ledger';
import { changeLimitsOfUser, saveAppLimits, type UserLimits } from '../../server/partners/user-limits';
import { bookPaidSession } from '../harness/purchases';
import { newTeam } from './teams';

/** Returns the exact cost of an amount in credits. */
export const exactly = (credits: number): Picocredits =>
  (wholeCredits(Math.round(credits * 1000)) * 1000n) as Picocredits;

export type App = { id: string; keyHash: Buffer };
export type Wallet = { userId: string; apps: Record<string, App> };

/** A user with a key in each named app; every app has the same commission. */
export async function newWallet(names: string[], { rateBp = 0 } = {}): Promise<Wallet> {
  await writeTestPrice();
  const userId = newId('usr');
  const apps: Record<string, App> = {};
  for (const name of names) {
    const id = newId('prt');
    const keyHash = sha256(newId('key'));
    await prisma().partner.create({ data: { id, name, publishableKey: newId('key'), rateBp } });
    await inTransaction((tx) => openUserApp(tx, { userId, partnerId: id, appUserId: newId('au') }));
    await prisma().userKey.create({
      data: { id: newId('key'), userId, partnerId: id, hash: new Uint8Array(keyHash), last4: 'test' },
    });
    apps[name] = { id, keyHash };
  }
  return { userId, apps };
}

/** The price that the receipts of these tests name. */
async function writeTestPrice(): Promise<void> {
  const model = { id: 'test/model', name: 'Test', provider: 'test' };
  const token = { input: '1', output: '1', cache_read: '1', cache_write_5m: '1', cache_write_1h: '1' };
  const price = { version: 'test@1', modelId: model.id, prices: { ...token, tiers: [] } };
  await prisma().model.createMany({ data: [model], skipDuplicates: true });
  await prisma().modelPrice.createMany({ data: [price], skipDuplicates: true });
}

function appOf(wallet: Wallet, name: string): App {
  const app = wallet.apps[name];
  if (!app) throw new Error(`This wallet has no app ${name}`);
  return app;
}

export type RunKey = { id: string; keyHash: Buffer; lineage: string[] };
export type Budgeted = { credits: number; requests?: number; models?: string[] };

/** A run key below the user's ordinary key of an app, or below another one. */
export async function addRunKey(
  wallet: Wallet,
  app: string,
  { credits, requests, models }: Budgeted,
  parent?: RunKey,
): Promise<RunKey> {
  const { userId } = wallet;
  const { id: partnerId } = appOf(wallet, app);
  const ordinary = { userId, partnerId, lineage: { isEmpty: true } };
  const above = parent?.lineage ?? [(await prisma().userKey.findFirstOrThrow({ where: ordinary })).id];
  const id = newId('key');
  const keyHash = sha256(id);
  const lineage = [...above, id];
  const hash = new Uint8Array(keyHash);
  await prisma().userKey.create({
    data: { id, userId, partnerId, hash, last4: 'test', lineage, ...(models && { models }) },
  });
  const budget = { userId, id, partnerId, credits: wholeCredits(credits), requests: requests ?? null };
  await prisma().budget.create({ data: budget });
  return { id, keyHash, lineage };
}

export const buy = (wallet: Wallet, app: string, credits: number, sessionId = newId('cks')) =>
  inTransaction((tx) =>
    bookPaidSession(tx, {
      userId: wallet.userId,
      partnerId: appOf(wallet, app).id,
      credits: wholeCredits(credits),
      sessionId,
    }),
  );

export const grant = (wallet: Wallet, app: string, credits: number) =>
  inTransaction((tx) =>
    grantCredits(tx, {
      userId: wallet.userId,
      partnerId: appOf(wallet, app).id,
      credits: wholeCredits(credits),
      grantId: newId('req'),
      note: 'a gift',
    }),
  );

/** Takes back whole credits of a purchase, as the processor reports them in all. */
export const takeBack = (wallet: Wallet, sessionId: string, { refunded = 0, disputed = 0 }) =>
  inTransaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE purchase SET refunded_minor = ${refunded}, disputed_minor = least(${disputed}, amount_minor - ${refunded})
      WHERE session_id = ${sessionId}`;
    return clawBack(tx, {
      userId: wallet.userId,
      sessionId,
      refunded: wholeCredits(refunded),
      disputed: wholeCredits(disputed),
    });
  });

export const allow = (wallet: Wallet, app: string, credits: number | null, saveId = newId('req')) =>
  inTransaction((tx) =>
    saveAllowance(tx, {
      userId: wallet.userId,
      partnerId: appOf(wallet, app).id,
      allowance: credits === null ? null : wholeCredits(credits),
      saveId,
    }),
  );

/** '*' for all apps. */
const scopeOf = (wallet: Wallet, scope: string): string =>
  scope === '*' ? ALL_APPS : appOf(wallet, scope).id;

/** Limits what an app, or all apps, may spend in this month; `partner:A` is the limit of the partner of app A. */
export function limitMonth(wallet: Wallet, scope: string, month: Microcredits | null): Promise<unknown> {
  const [by, app = ''] = scope.split(':');
  if (by === 'partner') {
    const ofUsers = { request: null, day: null, month, models: null };
    return inTransaction((tx) => saveAppLimits(appOf(wallet, app).id, ofUsers, tx));
  }
  const limits = { request: null, day: null, week: null, month, models: null };
  const { userId } = wallet;
  return inTransaction((tx) =>
    saveLimits(tx, { userId, partnerId: scopeOf(wallet, scope), zone: 'UTC', limits }),
  );
}

/** The limits that the partner sets for this user alone; null for none. */
export async function limitUser(wallet: Wallet, name: string, limits: UserLimits | null): Promise<void> {
  const { id } = appOf(wallet, name);
  const app = await prisma().partner.findUniqueOrThrow({ where: { id } });
  const teamId = app.teamId ?? (await newTeam([id]));
  const ofUser = { userId_partnerId: { userId: wallet.userId, partnerId: id } };
  const { appUserId } = await prisma().userApp.findUniqueOrThrow({ where: ofUser });
  const asked = { app: { ...app, teamId }, actor: 'operator', appUserId: appUserId ?? '' };
  await changeLimitsOfUser(asked, limits);
}

export function stopOrResume(wallet: Wallet, scope: string, isStopped: boolean): Promise<boolean> {
  const of = { userId: wallet.userId, partnerId: scopeOf(wallet, scope) };
  return inTransaction((tx) => (isStopped ? stopSpending(tx, of) : resumeSpending(tx, of)));
}

export const hold = (
  wallet: Wallet,
  app: string,
  want: number,
  need = 0,
  rest: Partial<Parameters<typeof admit>[0]> = {},
): ReturnType<typeof admit> =>
  admit({
    keyHash: appOf(wallet, app).keyHash,
    requestId: newId('req'),
    model: 'test/model',
    need: exactly(need),
    want: exactly(want),
    ...rest,
  });

/** Returns what an app sees: `[balance in credits, status]`. */
export async function sees(wallet: Wallet, app: string): Promise<[number, string]> {
  const { balance, status } = await readSpendable(wallet.userId, appOf(wallet, app).id);
  return [Number(balance) / 1e6, status];
}

/** Returns the credits of a pocket as stored in the database. */
export async function ownCredits(wallet: Wallet, app: string): Promise<number> {
  const { rows } = await pool().query<{ own: bigint }>(
    'SELECT own FROM user_app WHERE user_id = $1 AND partner_id = $2',
    [wallet.userId, appOf(wallet, app).id],
  );
  return Number(rows[0]?.own) / 1e6;
}
