import type { Prisma } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';

/** The content of a mail to the owner of a key. `identity/key-notice-mails.ts` sends it. */
export type NoticeDetail =
  /** `where` is the host of the page with the key; '' if the report names none. */
  | { kind: 'leaked'; where: string }
  /** `network` is the address range, such as 203.0.0.0/16. */
  | { kind: 'unusual_use'; reason: 'new_network'; network: string }
  | { kind: 'unusual_use'; reason: 'many_networks'; networks: number };

/** Records that a mail is due. At most one of a kind per key and day. */
export async function recordNotice(tx: Tx, keyId: string, { kind, ...detail }: NoticeDetail): Promise<void> {
  const createdAt = nowDate();
  await tx.keyNotice.createMany({
    data: [
      {
        keyId,
        kind,
        day: new Date(createdAt.toISOString().slice(0, 10)),
        detail: detail satisfies Prisma.InputJsonObject,
        dueAt: createdAt,
        createdAt,
      },
    ],
    skipDuplicates: true,
  });
}
