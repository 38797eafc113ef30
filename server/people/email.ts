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
 * The mailbox of a normalised e-mail address, for limits and promotions, never for identity: without the `+tag`, which
 * most providers deliver to the same person, and in the one form that its provider makes of all others. Dots are kept
 * elsewhere, because there they may name another person.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const given = email.slice(at + 1);
  const owner = SUBDOMAIN_OF_OWNER.exec(given);
  const [local, domain] = owner ? [owner[1] ?? '', owner[2] ?? ''] : [email.slice(0, at), given];
  const { domains, ignored, tag } = MAILBOX_RULES.find((rule) => rule.domains.test(domain)) ?? ANY_PROVIDER;
  const base = cutTag(cutTag(local, '+'), tag).replace(ignored, '');
  return `${base || local}@${domain.replace(domains, (found) => SAME_DOMAIN[found] ?? found)}`;
}

/** Fastmail delivers `anything@ada.fastmail.com` to `ada@fastmail.com`. */
const SUBDOMAIN_OF_OWNER = /^([^.]+)\.(fastmail\.(?:com|fm))$/;

/** Domains whose mailboxes are those of another one. */
const SAME_DOMAIN: Readonly<Record<string, string>> = {
  'googlemail.com': 'gmail.com',
  'protonmail.com': 'proton.me',
  'protonmail.ch': 'proton.me',
  'pm.me': 'proton.me',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
};

const NOTHING = /(?!)/;

/**
 * What providers ignore in the local part, and the separator of their tags, by their published rules. All of them, as
 * Outlook and Fastmail, know `+`. Yahoo's disposable addresses are `base-keyword`, and its names have no hyphen.
 */
const MAILBOX_RULES = [
  { domains: /^(?:gmail|googlemail)\.com$/, ignored: /\./g, tag: '+' },
  { domains: /^(?:proton\.me|protonmail\.(?:com|ch)|pm\.me)$/, ignored: /[._-]/g, tag: '+' },
  { domains: /^(?:icloud|me|mac)\.com$/, ignored: NOTHING, tag: '+' },
  {
    domains: /^(?:(?:yahoo|ymail|myyahoo|rocketmail)\.com|yahoo\.(?:com?\.)?[a-z]{2})$/,
    ignored: NOTHING,
    tag: '-',
  },
];
const ANY_PROVIDER = { domains: NOTHING, ignored: NOTHING, tag: '+' };

function cutTag(local: string, separator: string): string {
  const start = local.indexOf(separator);
  return start > 0 ? local.slice(0, start) : local;
}

/** As before addresses were folded by their provider's rules: accounts of that time keep their hash. */
export function untaggedAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return cutTag(email.slice(0, at), '+') + email.slice(at);
}

/**
 * Masks an e-mail address so that only its owner recognises it: `a•••@example.com`. Short ones lose every
 * letter.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${at > 1 ? email.slice(0, 1) : ''}•••${email.slice(at)}`;
}
