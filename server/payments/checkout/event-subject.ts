import type { Tx } from '../../base/db';
import { invariant } from '../../base/errors';
import type { Metadata } from '../../people/metadata';

/** The user that an event is about, under the id that the partner knows, with the metadata of the partner. */
export async function readEventSubject(
  tx: Tx,
  { userId, partnerId }: { userId: string; partnerId: string },
): Promise<{ user_id: string; metadata: Metadata }> {
  const { appUserId, metadata } = await tx.userApp.findUniqueOrThrow({
    where: { userId_partnerId: { userId, partnerId } },
    select: { appUserId: true, metadata: true },
  });
  invariant(appUserId, 'a user who buys in an app or saves its allowance is a user of the app');
  return { user_id: appUserId, metadata: (metadata ?? {}) as Metadata };
}
