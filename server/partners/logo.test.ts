import { expect, test } from 'vitest';
import { checkLogo, MAX_LOGO_BYTES } from './logo';

function png(width: number, height: number, rest = ''): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([head, size, Buffer.alloc(9), Buffer.from(rest, 'latin1')]);
}

function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9]),
    frame,
    Buffer.alloc(20),
  ]);
}

function webp(kind: string, body: number[]): Buffer {
  return Buffer.concat([
    Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'),
    Buffer.from(body),
    Buffer.alloc(20),
  ]);
}

const lossy = webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 64, 0, 48, 0]);
const lossless = webp('VP8L', [0x2f, 63, 0xc0, 11, 0]);
const extended = (flags: number) => webp('VP8X', [flags, 0, 0, 0, 63, 0, 0, 47, 0, 0]);

test.each([
  ['image/png', png(64, 48)],
  ['image/jpeg', jpeg(64, 48)],
  ['image/webp', lossy],
  ['image/webp', lossless],
  ['image/webp', extended(0)],
])('an image of type %s is recognised by its bytes', (type, bytes) => {
  expect(checkLogo(bytes)).toEqual({ ok: true, type });
});

test.each([
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['GIF', Buffer.from('GIF89a\x40\0\x40\0', 'latin1')],
  ['HTML', Buffer.from('<html><script>alert(1)</script>')],
  ['an animated PNG', png(64, 64, '\0\0\0\x08acTL')],
  ['an animated WebP', extended(0x02)],
  ['nothing', Buffer.alloc(0)],
  ['a PNG without a size', png(64, 64).subarray(0, 20)],
  ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0])],
  [
    'a JPEG whose segment has no length',
    Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(60_000, 0xff)]),
  ],
])('%s is no logo @attack', (_, bytes) => {
  expect(checkLogo(bytes)).toMatchObject({ ok: false, reason: expect.stringContaining('PNG, JPEG or WebP') });
});

test.each([
  [png(65_535, 65_535), '65535 × 65535'],
  [png(64, 1_025), '64 × 1025'],
  [png(0, 0), '0 × 0'],
  [jpeg(31, 64), '31 × 64'],
])('a logo that decodes to too many or too few pixels is refused @attack', (bytes, size) => {
  expect(checkLogo(bytes)).toMatchObject({ ok: false, reason: expect.stringContaining(size) });
});

test('a logo of more than 64 kB is refused', () => {
  expect(checkLogo(Buffer.concat([png(64, 64), Buffer.alloc(MAX_LOGO_BYTES)]))).toMatchObject({ ok: false });
});
