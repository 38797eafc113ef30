import { SECOND_MS } from '../base/clock';
import { type MailKind, type MailWriter, sendDueMails } from '../base/due-mails';
import type { Job } from '../base/job';
import { writeCorrectionMail } from '../reports/corrections/mails';

const WRITERS: { readonly [Kind in MailKind]: MailWriter<Kind> } = {
  correction: writeCorrectionMail,
};

export const MAIL_KINDS = Object.keys(WRITERS) as MailKind[];

export const sendMails = <Kind extends MailKind>(kind: Kind): Promise<void> => sendDueMails(kind, WRITERS[kind]);

/** One for each kind, so that a mail that waits for its server or fails delays no other kind. */
export const MAIL_JOBS: readonly Job[] = MAIL_KINDS.map((kind) => ({
  name: `${kind} mails`,
  everyMs: 5 * SECOND_MS,
  run: () => sendMails(kind),
}));
