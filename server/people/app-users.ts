import type { Tx } from '../base/db';
import { newId } from '../base/ids';
import { openUserApp } from '../ledger';
import type { Metadata } from './metadata';

/**
 * Connects the user to an app and returns the app-scoped id (`au_…`), which never changes.
 * Locks the user's wallet: call it before anything else in the transaction touches the ledger.
 */
export async function openAppUser(
  tx: Tx,
  { userId, partnerId, metadata }: { userId: string; partnerId: string; metadata?: Metadata | undefined },
): Promise<string> {
  const { appUserId } = await openUserApp(tx, { userId, partnerId, appUserId: newId('au') });
  if (metadata !== undefined) {
    await tx.userApp.update({ where: { userId_partnerId: { userId, partnerId } }, data: { metadata } });
  }
  return appUserId;
}
