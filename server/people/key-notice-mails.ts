import { DAY_MS, now } from '../base/clock';
import { deleteInSteps, prisma } from '../base/db';
import type { MailRefs } from '../base/due-mails';
import { settings } from '../base/env';
import { escapeHtml } from '../base/html';
import { htmlMail, htmlParagraph, type Mail } from '../base/mail';
import { labelStop, type StopLink, writeStopPath } from '../base/stop-link';
import { findPartner } from '../partners/partner';
import { nameInMails } from '../partners/rename';
import type { NoticeDetail } from './keys/notices';
import { writeRevokeToken } from './keys/revoke-link';

/** Mails to the owners of keys that were found in public or used in an unusual way. */

/** Longer than the day that a notice covers. */
const KEPT_MS = 30 * DAY_MS;

export async function forgetOldNotices(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM key_notice WHERE (key_id, kind, day) IN (
       SELECT key_id, kind, day FROM key_notice WHERE created_at < $1 LIMIT $2)`,
    new Date(now() - KEPT_MS),
  );
}

/** Null if the mail is no longer needed: the account was deleted, or the key was revoked. */
export async function writeKeyMail({ keyId, at, notice }: MailRefs['key']): Promise<Mail | null> {
  const key = await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } });
  const user = await prisma().user.findUniqueOrThrow({ where: { id: key.userId } });
  const partner = await findPartner(key.partnerId);
  const detail = notice as NoticeDetail;
  const isMoot = detail.kind === 'unusual_use' && key.revokedAt !== null;
  if (user.deletedAt !== null || partner === null || isMoot) return null;
  const appName = nameInMails(partner);
  const words = detail.kind === 'leaked' ? wordLeak(detail, appName) : wordUnusualUse(detail, appName, keyId);
  const facts = `Key: svc_sk_…${key.last4}. Time: ${at.slice(0, 16).replace('T', ' ')} UTC.`;
  return { to: user.email, ...layOut(words, facts, { userId: key.userId, partnerId: key.partnerId }) };
}

type MailText = {
  subject: string;
  intro: string;
  advice: string;
  link: { label: string; url: string };
  note: string;
};

function wordLeak({ where }: Extract<NoticeDetail, { kind: 'leaked' }>, appName: string | null): MailText {
  const place = where === '' ? 'in a public place' : `on ${where}`;
  return {
    subject: `Your key for ${appName ?? 'an app'} was found in public and revoked`,
    intro: `A key that spends your ${settings().BRAND_NAME} credits in ${appName ?? 'an app'} was found ${place}. We revoked it: it stopped working immediately.`,
    advice:
      'Check your activity for requests that are not yours. To continue, sign in to the app again, which creates a new key.',
    link: { label: 'Show your activity', url: `${settings().BASE_URL}/account/activity` },
    note: 'If you published the key yourself, delete it there as well.',
  };
}

function wordUnusualUse(
  notice: Extract<NoticeDetail, { kind: 'unusual_use' }>,
  appName: string | null,
  keyId: string,
): MailText {
  const how =
    notice.reason === 'new_network'
      ? `from a network that it had not been used from before (${notice.network})`
      : `from ${notice.networks} different networks within an hour`;
  return {
    subject: `Unusual use of your key for ${appName ?? 'an app'}`,
    intro: `A key that spends your ${settings().BRAND_NAME} credits in ${appName ?? 'an app'} was used ${how}.`,
    advice:
      'If you travelled, changed your provider or use a VPN, or if the app moved its servers, no action is needed. Otherwise, revoke the key.',
    link: {
      label: 'Revoke this key',
      url: `${settings().BASE_URL}/revoke-key?token=${writeRevokeToken(keyId)}`,
    },
    note: 'The link works for 30 days and does not require signing in. It opens a page that asks before it revokes the key. Signing in to the app again creates a new one.',
  };
}

function layOut({ subject, intro, advice, link, note }: MailText, facts: string, stops: StopLink) {
  const { label, url } = link;
  const stopLabel = labelStop(stops);
  const stop = settings().BASE_URL + writeStopPath(stops);
  return {
    subject,
    text: `${[intro, facts, advice, `${label}:\n${url}`, note, `${stopLabel}:\n${stop}`].join('\n\n')}\n`,
    html: htmlMail(
      [intro, facts, advice].map(htmlParagraph).join('') +
        `<p style="margin:0 0 12px"><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>${htmlParagraph(note)}` +
        `<p style="margin:0 0 12px"><a href="${escapeHtml(stop)}">${escapeHtml(stopLabel)}</a></p>`,
    ),
  };
}
