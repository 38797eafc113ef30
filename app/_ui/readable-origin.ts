/**
 * An origin with an internationalised host name, as people read it. Null if there is nothing to
 * decode, or if the name could pass for another: then only its ASCII form is shown.
 */
export function readableOrigin(origin: string): string | null {
  const [, scheme, host, port = ''] = /^(https?:\/\/)(?=.*xn--)([^/:]+)(:\d+)?$/.exec(origin) ?? [];
  if (scheme === undefined || host === undefined) return null;
  const labels = host.split('.').map(decodeLabel);
  if (!labels.every((label) => label !== null && isUnmistakable(label))) return null;
  const name = `${scheme}${labels.join('.')}${port}`;
  return URL.canParse(name) && new URL(name).origin === origin ? name : null;
}

const ALPHABETS = [
  /^[a-z\d\-ß-öø-ÿāăąćčďđēęěğģīįķļłńņňőœŕřśşšţťūůűųźżž]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\d-]+$/u,
  /^[\p{Script=Hangul}\d-]+$/u,
  /^[\p{Script=Devanagari}\d-]+$/u,
  /^[\p{Script=Thai}\d-]+$/u,
  // At least one letter that looks like no Latin letter.
  /^(?=.*[бгджзийлпфцчшщыэюя])[\p{Script=Cyrillic}\d-]+$/u,
  /^(?=.*[βγδθλξπσςφψω])[\p{Script=Greek}\d-]+$/u,
];

const isUnmistakable = (label: string): boolean => ALPHABETS.some((alphabet) => alphabet.test(label));

const PREFIX = 'xn--';
const [BASE, LOWEST, HIGHEST, SKEW, DAMP, FIRST_BIAS, FIRST_CODE] = [36, 1, 26, 38, 700, 72, 128];
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Decodes one label of a host name from Punycode (RFC 3492); null when it is not valid. */
function decodeLabel(label: string): string | null {
  if (!label.startsWith(PREFIX)) return label;
  const text = label.slice(PREFIX.length);
  const split = text.lastIndexOf('-');
  const letters = [...text.slice(0, Math.max(0, split))];
  let [code, place, bias] = [FIRST_CODE, 0, FIRST_BIAS];
  for (let at = split + 1; at < text.length; place++) {
    const before = place;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = DIGITS.indexOf(text.charAt(at++) || '!');
      if (digit < 0) return null;
      place += digit * weight;
      const limit = Math.min(Math.max(step - bias, LOWEST), HIGHEST);
      if (digit < limit) break;
      weight *= BASE - limit;
    }
    const count = letters.length + 1;
    bias = adapt(place - before, count, before === 0);
    code += Math.floor(place / count);
    place %= count;
    if (code > 0x10ffff) return null;
    letters.splice(place, 0, String.fromCodePoint(code));
  }
  return letters.join('');
}

function adapt(distance: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(distance / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > ((BASE - LOWEST) * HIGHEST) / 2; bias += BASE) rest = Math.floor(rest / (BASE - LOWEST));
  return bias + Math.floor(((BASE - LOWEST + 1) * rest) / (rest + SKEW));
}
