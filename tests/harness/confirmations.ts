import { MINUTE_MS, now } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { sha256 } from '@/server/base/ids';

/** Sets back when the user of a session last confirmed their presence. */
export async function confirmedMinutesAgo(token: string, minutes: number): Promise<void> {
  await prisma().session.update({
    where: { tokenHash: new Uint8Array(sha256(token)) },
    data: { confirmedAt: new Date(now() - minutes * MINUTE_MS) },
  });
}
