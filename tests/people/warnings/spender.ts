import { setClock } from '@/server/base/clock';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import type { WarningKind } from '@/server/base/unsubscribe-link';
import { capture, type Limits, type Period, saveLimits } from '@/server/ledger';
import { saveWarningChoice } from '@/server/people/warnings/choice';
import { noteWeekly } from '@/server/people/warnings/note';
import { noteSpending } from '@/server/people/warnings/watch';
import { sendMails } from '@/server/process/mail-jobs';
import { receipt } from '../../ledger/receipt';
import { buy, exactly, hold, newWallet, type Wallet } from '../../ledger/wallets';

/** Users who spend, and the clocks of the process and of the ledger, which move together. */

export async function replaceClocks(): Promise<void> {
  await pool().query(`
    CREATE TABLE test_clock (at timestamptz NOT NULL);
    INSERT INTO test_clock VALUES (now());
    CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM test_clock';
    ALTER TABLE ledger_transaction ALTER COLUMN created_at SET DEFAULT ledger_clock()`);
}

export async function setTime(at: string): Promise<void> {
  const ms = Date.parse(at);
  setClock(() => ms);
  await pool().query('UPDATE test_clock SET at = $1', [at]);
}

export type Spender = Wallet & { email: string };

/** With 1,000 credits bought in the app Harbour, whose name is approved, and nothing in the app Pier, whose name is not. */
export async function newSpender(...kinds: WarningKind[]): Promise<Spender> {
  const wallet = await newWallet(['Harbour', 'Pier']);
  const email = `${wallet.userId.toLowerCase()}@example.com`;
  await prisma().user.create({ data: { id: wallet.userId, email } });
  await prisma().partner.update({
    where: { id: idOf(wallet, 'Harbour') },
    data: { nameApprovedAt: new Date(0) },
  });
  await buy(wallet, 'Harbour', 1_000);
  for (const kind of kinds) await choose(wallet, kind);
  return { ...wallet, email };
}

export const choose = ({ userId }: Wallet, kind: WarningKind, isOn = true, zone = 'UTC') =>
  saveWarningChoice(userId, { kind, isOn, zone });

export const idOf = ({ apps }: Wallet, app: string): string => (app === 'all' ? '' : (apps[app]?.id ?? app));

export async function spend(wallet: Wallet, credits: number, app = 'Harbour'): Promise<void> {
  const admission = await hold(wallet, app, credits);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(credits), admission.hold.rateBp), receipt());
}

export function limit(wallet: Wallet, app: string, amounts: Partial<Record<Period, number>>, zone = 'UTC') {
  const limits: Limits = { request: null, day: null, week: null, month: null, models: null };
  for (const [period, credits] of Object.entries(amounts)) limits[period as Period] = wholeCredits(credits);
  return inTransaction((tx) =>
    saveLimits(tx, { userId: wallet.userId, partnerId: idOf(wallet, app), zone, limits }),
  );
}

/** What two instances do every few seconds. */
export async function warn(...spenders: Wallet[]): Promise<void> {
  const users = spenders.map(({ userId }) => userId);
  await Promise.all([noteSpending(users), noteSpending(users), noteWeekly(), noteWeekly()]);
  await Promise.all([sendMails('warning'), sendMails('warning')]);
}
