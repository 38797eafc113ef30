import { nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';
import { makeMailDue } from '../../base/due-mails';

/** The content of a mail to the owner of a key. `people/key-notice-mails.ts` writes it. */
export type NoticeDetail =
  /** `where` is the host of the page with the key; '' if the report names none. */
  | { kind: 'leaked'; where: string }
  /** `network` is the address range, such as 203.0.0.0/16. */
  | { kind: 'unusual_use'; reason: 'new_network'; network: string }
  | { kind: 'unusual_use'; reason: 'many_networks'; networks: number };

/** Records that a mail is due. At most one of a kind per key and day. */
export async function recordNotice(tx: Tx, keyId: string, notice: NoticeDetail): Promise<void> {
  const createdAt = nowDate();
  const day = new Date(createdAt.toISOString().slice(0, 10));
  const { count } = await tx.keyNotice.createMany({
    data: [{ keyId, kind: notice.kind, day, createdAt }],
    skipDuplicates: true,
  });
  // Its content is kept only until the mail is sent.
  if (count > 0) await makeMailDue(tx, 'key', { keyId, at: createdAt.toISOString(), notice });
}
