import { describe, expect, it } from 'vitest';
import { resemblesBrand, skeletonOf } from './skeleton';

describe('names that look alike have the same skeleton @attack', () => {
  it.each([
    ['case', 'Acme', 'ACME'],
    ['spaces and punctuation', 'Acme Notes', 'acme-notes!'],
    ['accents', 'Victim', 'Víctim'],
    ['Cyrillic а (U+0430)', 'Acapella', 'Асареllа'],
    ['Cyrillic ѕ (U+0455)', 'susi', 'ѕuѕi'],
    ['a word in Cyrillic letters', 'cope', 'соре'],
    ['capitals in Cyrillic letters', 'ACME', 'АСМЕ'],
    ['Greek capitals', 'ZETA', 'ΖΕΤΑ'],
    ['l, I and 1', 'Illumine', 'l1lurnine'],
    ['i and l', 'Mail Box', 'Mall Box'],
    ['a dotless i', 'Mini', 'Mını'],
    ['0 and O', 'Zoom', 'Z00m'],
    ['rn and m', 'modern', 'modem'],
    ['vv and w', 'wave', 'vvave'],
    ['small capitals', 'SVC', 'ꜱᴠᴄ'],
  ])('%s: %s and %s', (_, one, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(one));
  });

  it.each([
    ['Acme', 'Acne'],
    ['Notes', 'Note'],
    ['हिंदी', 'हद'],
    ['か', 'が'],
    ['笔记', '日记'],
    ['Заметки', 'Заметка'],
  ])('but not %s and %s', (one, other) => {
    expect(skeletonOf(other)).not.toBe(skeletonOf(one));
  });
});

describe('a name resembles the brand @attack', () => {
  it.each([
    'svc',
    'SVC',
    's v c',
    'ѕvс',
    'svc Billing',
    'Official S.V.C',
    'Help (svc)',
    'ꜱᴠᴄ payments',
    'S-V-C Support',
    'S V C Account Team',
    'SVC’s',
    'SVCSupport',
  ])('in "%s"', (name) => expect(resemblesBrand(name, 'svc')).toBe(true));

  it.each(['Svcope', 'Services', 'MySvc'])('but not in "%s"', (name) =>
    expect(resemblesBrand(name, 'svc')).toBe(false),
  );

  it('of several words, as these words', () => {
    expect(resemblesBrand('Acme Pay Support', 'Acme Pay')).toBe(true);
    expect(resemblesBrand('Pay Acme', 'Acme Pay')).toBe(false);
  });
});
