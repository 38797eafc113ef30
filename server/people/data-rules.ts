import { NO_RULES, type RuleSet } from '../base/data-rules';
import { inTransaction, prisma } from '../base/db';
import { openWallet } from '../ledger';

/** What a user requires of every provider. The next request of every app obeys it. */

export async function readUserDataRules(userId: string): Promise<RuleSet> {
  const wallet = await prisma().wallet.findUnique({ where: { userId }, select: { dataRules: true } });
  return wallet?.dataRules ?? NO_RULES;
}

export async function saveUserDataRules(userId: string, dataRules: RuleSet): Promise<void> {
  await inTransaction(async (tx) => {
    await openWallet(tx, userId);
    await tx.wallet.update({ where: { userId }, data: { dataRules } });
  });
}
