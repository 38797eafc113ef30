import type { DueMail } from '../../prisma/client/client';
import { DAY_MS, MINUTE_MS, now, nowDate } from './clock';
import { prisma, type Tx } from './db';
import { describeError, log } from './log';
import { type Mail, sendMail } from './mail';

/**
 * Mails that are due. Each is recorded in the transaction of what it is about, and a job sends it
 * (process/mail-jobs.ts). Nothing of it is kept once it was sent.
 */

/** What a mail of each kind is about. Its writer reads the rest. */
export type MailRefs = {
  correction: { batchId: string; userId: string };
  invitation: { invitationId: string };
  /** `kind` is sent, failed, returned or bank_failed. */
  payout: { payoutId: string; kind: string; email: string };
  payout_account: { teamId: string; email: string };
  /** The address that an account no longer has; `changeId` is null if that was undone. */
  email_change: { userId: string; to: string; changeId: string | null };
  receipt: { purchaseId: string };
  low_balance: { userId: string };
  /** What was found, and when. */
  key: { keyId: string; at: string; notice: object };
  warning: { userId: string; cause: string };
  top_up: { userId: string; about: 'off' | 'confirm' };
};

export type MailKind = keyof MailRefs;

/** Null if the mail is no longer wanted or needed. */
export type MailWriter<Kind extends MailKind> = (ref: MailRefs[Kind]) => Promise<Mail | null>;

/**
 * Follows `INSERT INTO due_mail (kind, ref, due_at)`: a mail that is already due is sent once, and now. With a new id, it
 * outlives an attempt that is under way.
 */
export const OR_NOW =
  'ON CONFLICT (kind, ref) DO UPDATE SET id = excluded.id, due_at = excluded.due_at, attempts = excluded.attempts';

export async function makeMailDue<Kind extends MailKind>(
  tx: Pick<Tx, '$executeRawUnsafe'>,
  kind: Kind,
  ref: MailRefs[Kind],
): Promise<void> {
  const statement = `INSERT INTO due_mail (kind, ref, due_at) VALUES ($1, $2::jsonb, $3) ${OR_NOW}`;
  await tx.$executeRawUnsafe(statement, kind, JSON.stringify(ref), nowDate());
}

const MAILS_PER_RUN = 50;
const MAX_ATTEMPTS = 10;

export async function sendDueMails<Kind extends MailKind>(
  kind: Kind,
  write: MailWriter<Kind>,
): Promise<void> {
  const due = await prisma().dueMail.findMany({
    where: { kind, dueAt: { lte: nowDate() } },
    orderBy: { dueAt: 'asc' },
    take: MAILS_PER_RUN,
  });
  for (const mail of due) await sendOne(mail, () => write(mail.ref as MailRefs[Kind]));
}

/** The next attempt is scheduled before this one starts, so that two processes do not both send it. */
async function sendOne({ id, kind, attempts }: DueMail, write: () => Promise<Mail | null>): Promise<void> {
  try {
    const { count } = await prisma().dueMail.updateMany({
      where: { id, attempts, dueAt: { lte: nowDate() } },
      data: { attempts: attempts + 1, dueAt: nextAttemptAt(attempts) },
    });
    if (count === 0) return;
    if (attempts === MAX_ATTEMPTS) log().warn({ kind, mail_id: id }, 'mail given up');
    const mail = attempts === MAX_ATTEMPTS ? null : await write();
    if (mail !== null) await sendMail(mail);
    await prisma().dueMail.deleteMany({ where: { id } });
  } catch (error) {
    log().warn({ kind, mail_id: id, error: describeError(error) }, 'mail not sent, will be retried');
  }
}

/** After 1 minute, then 2, 4, … up to a day. */
const nextAttemptAt = (attempts: number): Date =>
  new Date(now() + Math.min(MINUTE_MS * 2 ** attempts, DAY_MS));
