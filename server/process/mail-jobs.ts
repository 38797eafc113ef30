import { SECOND_MS } from '../base/clock';
import { type MailKind, type MailWriter, sendDueMails } from '../base/due-mails';
import type { Job } from '../base/job';
import { writeInvitationMail } from '../partners/invitations';
import { writeReceipt } from '../payments/checkout/receipt-mail';
import { writeLowBalance } from '../payments/checkout/top-up/low-balance';
import { writeTopUpMail } from '../payments/checkout/top-up/mails';
import { writePayoutAccountMail, writePayoutMail } from '../payments/payouts/mails';
import { writeEmailChangeMail } from '../people/email-change-mail';
import { writeKeyMail } from '../people/key-notice-mails';
import { writeWarningMail } from '../people/warnings/write-mail';
import { writeCorrectionMail } from '../reports/corrections/mails';

const WRITERS: { readonly [Kind in MailKind]: MailWriter<Kind> } = {
  correction: writeCorrectionMail,
  invitation: writeInvitationMail,
  payout: writePayoutMail,
  payout_account: writePayoutAccountMail,
  email_change: writeEmailChangeMail,
  receipt: writeReceipt,
  low_balance: writeLowBalance,
  top_up: writeTopUpMail,
  key: writeKeyMail,
  warning: writeWarningMail,
};

export const MAIL_KINDS = Object.keys(WRITERS) as MailKind[];

export const sendMails = <Kind extends MailKind>(kind: Kind): Promise<void> =>
  sendDueMails(kind, WRITERS[kind]);

/** One for each kind, so that a mail that waits for its server or fails delays no other kind. */
export const MAIL_JOBS: readonly Job[] = MAIL_KINDS.map((kind) => ({
  name: `${kind} mails`,
  everyMs: 5 * SECOND_MS,
  run: () => sendMails(kind),
}));
