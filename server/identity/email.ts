import { domainToASCII } from 'node:url';

export type NormalisedEmail =
  | {
      ok: true;
      /** Identifies the account: one account per value. */
      email: string;
      /** The address to send to, with the local part as entered. */
      display: string;
    }
  | { ok: false };

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Characters allowed in a domain before its conversion to ASCII. */
const DOMAIN_TEXT = /^[a-z0-9.\-\u{80}-\u{10ffff}]+$/iu;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const MAX_LOCAL_CHARACTERS = 64;
const MAX_CHARACTERS = 254;

/**
 * Accepts one mailbox, never a list or a header. Keeps dots and `+tags`: the owner of `a.b@` may not
 * own `ab@`. Idempotent: `email` and `display` are valid inputs themselves.
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

/**
 * The mailbox of a normalised e-mail address, for limits on sending: without the `+tag`, which most
 * providers deliver to the same person. Dots are kept, because elsewhere they name another person.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const plus = email.indexOf('+');
  return plus > 0 && plus < at ? email.slice(0, plus) + email.slice(at) : email;
}

/**
 * Masks an e-mail address so that only its owner recognises it: `a•••@example.com`. Short ones lose every
 * letter.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${at > 1 ? email.slice(0, 1) : ''}•••${email.slice(at)}`;
}
