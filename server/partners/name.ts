const MAX_CHARACTERS = 60;

export type CheckedName = { ok: true; name: string } | { ok: false; reason: string };

/** Names appear in mails, including their subject, and in the checkout. Pure, so that pages can use the same check. */
export function checkName(text: string): CheckedName {
  const name = text.trim().normalize('NFC');
  if (name === '') return { ok: false, reason: 'Enter a name for the app' };
  if (name.length > MAX_CHARACTERS) return { ok: false, reason: `Use at most ${MAX_CHARACTERS} characters` };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    return { ok: false, reason: 'Use a single line without control characters' };
  return { ok: true, name };
}
