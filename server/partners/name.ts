const MAX_CHARACTERS = 60;

export type CheckedName = { ok: true; name: string } | { ok: false; reason: string };

/** Names stand in mails, in their subject too, and on the checkout. Pure: pages check with it too. */
export function checkName(text: string): CheckedName {
  const name = text.trim().normalize('NFC');
  if (name === '') return { ok: false, reason: 'Give the app a name' };
  if (name.length > MAX_CHARACTERS) return { ok: false, reason: `At most ${MAX_CHARACTERS} characters` };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return { ok: false, reason: 'One line without control characters' };
  return { ok: true, name };
}
