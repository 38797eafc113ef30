import { describe, expect, it } from 'vitest';
import { checkName } from './name';

const ACCEPTED = [
  'Acme',
  'Acme Notes',
  'My app',
  'Web3 Diary',
  'Notes 2026',
  'my_app',
  'Rock & Roll (beta)',
  "Bob's Café",
  'Bob’s Café',
  'A/B: Tester #1',
  'C++ Tutor',
  'J.R.R. Reader',
  'U.S. Tax Help',
  'What now?',
  'Müllers Bücher',
  'Straßenkarte',
  'Çeviri Yardımcısı',
  'Éditeur d’images',
  'Przyjaciółka',
  'Tiếng Việt',
  'Заметки',
  'Notes Заметки',
  'Ελληνικά Νέα',
  'Հայերեն և ես',
  'ქართული',
  '笔记助手',
  '茶道アプリ',
  'LINEスタンプ',
  'カメラ・レンズ',
  '메모 앱',
  'K팝 노트',
  'تطبيق الملاحظات',
  'پیام رسان',
  'הפתקים שלי',
  'हिंदी नोट्स',
  'বাংলা খাতা',
  'தமிழ் குறிப்புகள்',
  'ทำบันทึก',
  'Zoë\u0308',
];

const REFUSED: [why: string, name: string, reason: string][] = [
  ['empty', ' \u00a0 ', 'Enter a name for the app'],
  ['small capitals', 'ᴘᴀʏᴘᴀʟ', 'Write "ᴘ" as a plain letter or digit'],
  ['too long', 'a'.repeat(61), 'Use at most 60 characters'],
  ['two lines', 'Acme\nNotes', 'Use a single line without control characters'],
  ['a line separator', 'Acme\u2028Notes', 'Use a single line without control characters'],
  ['a control character', 'Ac\u0007me', 'Use a single line without control characters'],
  ['a zero-width space', 'Vict\u200bim', 'Remove the invisible character U+200B'],
  ['a zero-width joiner', 'Vict\u200dim', 'Remove the invisible character U+200D'],
  ['a right-to-left override', '\u202egnihsihp', 'Remove the invisible character U+202E'],
  ['a direction isolate', 'Acme\u2067 Notes', 'Remove the invisible character U+2067'],
  ['a soft hyphen', 'Ac\u00adme', 'Remove the invisible character U+00AD'],
  ['a byte order mark inside', 'Ac\ufeffme', 'Remove the invisible character U+FEFF'],
  ['tags', 'Acme\u{e0041}', 'Remove the invisible character U+E0041'],
  ['a variation selector', 'Acme\ufe0f', 'Remove the invisible character U+FE0F'],
  ['a grapheme joiner', 'Ac\u034fme', 'Remove the invisible character U+034F'],
  ['a Hangul filler', '\u3164\u3164\u3164', 'Remove the invisible character U+3164'],
  ['a halfwidth Hangul filler', 'Acme\uffa0', 'Remove the invisible character U+FFA0'],
  ['a blank Braille pattern', '\u2800\u2800', 'Remove the invisible character U+2800'],
  ['an e-mail address', 'help@acme.example', 'Leave out "@"'],
  ['markup', '<b>Acme</b>', 'Leave out "<"'],
  ['quotes', '"Acme" Inc', `Leave out """`],
  ['an emoji', 'Acme 🚀', 'Leave out "🚀"'],
  ['a check mark', '✅ Verified', 'Leave out "✅"'],
  ['a trade mark', 'Acme™', 'Leave out "™"'],
  ['an ideographic full stop', 'evil。example', 'Leave out "。"'],
  ['half a character', 'Acme\ud83d', 'Leave out U+D83D'],
  ['a private character', 'Acme\ue000', 'Leave out U+E000'],
  ['mathematical letters', '𝐕𝐢𝐜𝐭𝐢𝐦', 'Write "𝐕" as a plain letter or digit'],
  ['full-width letters', 'Ａｃｍｅ', 'Write "Ａ" as a plain letter or digit'],
  ['a ligature', 'ﬁne notes', 'Write "ﬁ" as a plain letter or digit'],
  ['superscripts', 'Notes²', 'Write "²" as a plain letter or digit'],
  ['a URL', 'URGENT: confirm at https://evil.example/pay now', 'change "https://evil.example/pay"'],
  ['a scheme', 'ftp://acme', 'change "ftp://acme"'],
  ['a scheme without slashes', 'mailto:acme', 'change "mailto:acme"'],
  ['a relative URL', '//acme', 'change "//acme"'],
  ['www.', 'www.acme', 'change "www.acme"'],
  ['a domain', 'evil.example', 'change "evil.example"'],
  ['a domain in a sentence', 'Go to acme.io/login', 'change "acme.io/login"'],
  ['an international domain', 'пример.рф', 'change "пример.рф"'],
  ['what a mail program takes for a domain', 'Node.js', 'change "Node.js"'],
  ['an IP address', 'At 1.2.3.4 now', 'change "1.2.3.4"'],
  ['a flood of accents', `Z${'\u0310'.repeat(3)}algo`, 'Use fewer accents on a single letter'],
  ['marks without end', `क${'\u093f'.repeat(4)}लम`, 'Use fewer accents on a single letter'],
  ['a mark first', '\u0301Acme', 'Use fewer accents on a single letter'],
  ['digits only', '999999', 'Use at least 2 letters'],
  ['punctuation only', '!!!', 'Use at least 2 letters'],
  ['one letter', 'A', 'Use at least 2 letters'],
  ['a code', 'Code 123456', 'Use at most 5 digits'],
  ['a telephone number', 'Call 0800 12 34 56', 'Use at most 5 digits'],
  ['a code in Arabic digits', 'Code ١٢٣٤٥٦', 'Use at most 5 digits'],
  ['Cyrillic letters in a Latin word', 'Pаypal', 'Write "Pаypal" in the letters of one script in common use'],
  ['Greek letters in a Latin word', 'Αcme', 'Write "Αcme" in the letters of one script in common use'],
  ['a script out of use', 'ᎪᏟᎷᎬ', 'Write "ᎪᏟᎷᎬ" in the letters of one script in common use'],
];

describe('the name of an app', () => {
  it.each(ACCEPTED)('may be "%s" @attack', (name) => {
    expect(checkName(name)).toEqual({ ok: true, name: name.normalize('NFC') });
  });

  it('is trimmed, has single spaces and is stored in one form', () => {
    expect(checkName('  Cafe\u0301 \u00a0 Notes ')).toEqual({ ok: true, name: 'Café Notes' });
  });

  it.each(REFUSED)('is refused if it is or contains %s @attack', (_, name, reason) => {
    expect(checkName(name)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});
