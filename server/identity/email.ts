import { domainToASCII } from 'node:url';

export type NormalisedEmail =
  | {
      ok: true;
      /** Identity: one account per value. */
      email: string;
      /** Where to send: the local part as it was written. */
      display: string;
    }
  | { ok: false };

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** What may stand in a domain before it is turned into its ASCII form. */
const DOMAIN_TEXT = /^[a-z0-9.\-\u{80}-\u{10ffff}]+$/iu;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const MAX_LOCAL_CHARACTERS = 64;
const MAX_CHARACTERS = 254;

/**
 * One mailbox, never a list or a header. Dots and `+tags` stay: who owns `a.b@` need not own `ab@`.
 * Idempotent: `email` and `display` may be given again.
 */
export function normaliseEmail(text: string): NormalisedEmail {
  if (/\p{Cc}/u.test(text)) return { ok: false };
  const given = text.normalize('NFKC').trim();
  const at = given.lastIndexOf('@');
  const local = given.slice(0, at);
  const domainText = given.slice(at + 1);
  if (
    at < 1 ||
    local.length > MAX_LOCAL_CHARACTERS ||
    !LOCAL_PART.test(local) ||
    !DOMAIN_TEXT.test(domainText)
  )
    return { ok: false };
  const domain = domainToASCII(domainText).toLowerCase();
  const display = `${local}@${domain}`;
  if (!DOMAIN.test(domain) || display.length > MAX_CHARACTERS) return { ok: false };
  return { ok: true, email: display.toLowerCase(), display };
}

/** Its owner knows it again, others do not learn it: `a•••@example.com`. Short ones lose every letter. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${at > 1 ? email.slice(0, 1) : ''}•••${email.slice(at)}`;
}
