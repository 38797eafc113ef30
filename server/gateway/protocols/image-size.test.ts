import { expect, test } from 'vitest';
import { readImageSize } from './image-size';

const hex = (text: string): string => Buffer.from(text.replaceAll(/\s/g, ''), 'hex').toString('base64');
const PNG = hex(
  '89504e470d0a1a0a 0000000d49484452 00000280 000001e0 0802000000 00000000 00000000 49444154 00000000',
);
const GIF_FRAME = `2c 0000 0000 8002 e001 00 ${'00'.repeat(12)}`;
const GIF = hex(`474946383961 8002 e001 00 00 00 ${GIF_FRAME}`);
const JPEG_START = `ffd8 ffe0 0010 ${'00'.repeat(14)} ffe1 ffff ${'ff'.repeat(65_533)} ffff`;
const FRAME = 'c2 0011 08 01e0 0280 03 000000000000000000';
const SMALL_FRAME = 'c0 0008 08 0001 0001 00';
const SCAN = 'ffda 000c 03 00000000000000000000';
const WEBP = (chunk: string) => `52494646 00000000 57454250 ${chunk} ${'00'.repeat(16)}`;

test.each([
  ['PNG', PNG],
  ['GIF', GIF],
  ['GIF whose frame is larger than its screen', hex(`474946383961 0100 0100 00 00 00 ${GIF_FRAME}`)],
  [
    'GIF with colours and an extension',
    hex(`474946383961 8002 e001 80 00 00 ${'ff'.repeat(6)} 21f9 02 0000 00 ${GIF_FRAME}`),
  ],
  ['progressive JPEG behind a profile as long as they get', hex(`${JPEG_START} ${FRAME} ${SCAN}`)],
  ['JPEG behind a table', hex(`ffd8 ffc4 0004 0000 ff ${FRAME} ${SCAN}`)],
  ['WebP', hex(WEBP('56503820 00000000 000000 9d012a 8002 e001'))],
  ['lossless WebP', hex(WEBP('5650384c 00000000 2f 7fc27700'))],
  [
    'extended WebP',
    hex(WEBP('56503858 0a000000 00000000 7f0200 df0100 56503820 00000000 000000 9d012a 8002 e001')),
  ],
  [
    'extended WebP whose frame is larger than its canvas',
    hex(WEBP('56503858 0a000000 00000000 000000 000000 56503820 00000000 000000 9d012a 8002 e001')),
  ],
  ['JPEG with a second, smaller frame', hex(`ffd8 ff ${FRAME} ff ${SMALL_FRAME} ${SCAN}`)],
  ['JPEG with a second, larger frame', hex(`ffd8 ff ${SMALL_FRAME} ff ${FRAME} ${SCAN}`)],
])('%s yields its size @attack', (_, base64) => {
  expect(readImageSize(base64)).toEqual({ width: 640, height: 480 });
});

test.each([
  ['nothing', ''],
  ['a file that is too short', PNG.slice(0, 20)],
  ['another kind of file', Buffer.from('%PDF-1.7'.padEnd(60)).toString('base64')],
  ['a JPEG that ends before its frame', hex(JPEG_START)],
  ['a JPEG whose segments lead nowhere', hex(`ffd8 ffe0 0000 ${'00'.repeat(40)}`)],
  ['an image without width', hex(`474946383961 0000 e001 ${'00'.repeat(24)}`)],
])('%s has no size', (_, base64) => {
  expect(readImageSize(base64)).toBeNull();
});

/** Some decoder shows 640 by 480. */
const TINY = '00000001 00000001 0802000000 00000000';
test.each([
  [
    'PNG with another chunk before its header',
    `89504e470d0a1a0a 0000000d 70724956 ${TINY} 0000000d 49484452 00000280 000001e0 0802000000 00000000 00000000 49444154 00000000`,
  ],
  [
    'PNG with a second header',
    `89504e470d0a1a0a 0000000d 49484452 ${TINY} 0000000d 49484452 00000280 000001e0 0802000000 00000000 00000000 49444154 00000000`,
  ],
  ...['00', '01', 'c8', 'd0', 'd7', 'd8', 'd9', 'f0', 'fd'].map((marker) => [
    `JPEG with a frame that marker ${marker} finds in a profile`,
    `ffd8 ff${marker} ffe1 ffff ${'00'.repeat(65_501)} ff${SMALL_FRAME} ${'00'.repeat(22)} ff ${FRAME} ${SCAN}`,
  ]),
  [
    'GIF whose extension has no content',
    `474946383961 0100 0100 00 00 00 2101 00 2c 0000 0000 0100 0100 00 ${'00'.repeat(36)} ${GIF_FRAME}`,
  ],
])('a %s has no size, because decoders disagree on it @attack', (_, file) => {
  expect(readImageSize(hex(file))).toBeNull();
});

test.each([
  ['padding inside', `${PNG.slice(0, 52)}=${PNG.slice(52)}`],
  ['a character that some decoders skip', `${PNG.slice(0, 24)}-${PNG.slice(24)}`],
  ['an escape', `${PNG}%3D`],
])('base64 with %s has no size, because decoders may read another one @attack', (_, base64) => {
  expect(readImageSize(base64)).toBeNull();
});
