import { expect, test } from 'vitest';
import { measureAudio } from '@/server/gateway/protocols/audio-length/audio-length';
import { UnreadableAudio } from '@/server/gateway/protocols/audio-length/measured-audio';
import { findGrowth } from '../../harness/growth';
import { randomFrom } from '../../harness/random';
import { RECORDINGS, readRecording as read } from './recordings';

const reasonOf = (bytes: Buffer): string => {
  try {
    return `measured ${measureAudio(bytes).mostSeconds}`;
  } catch (error) {
    if (!(error instanceof UnreadableAudio)) throw error;
    return error.message;
  }
};

test.each(Object.entries(RECORDINGS))(
  '%s is as long as a decoder finds it, and little more',
  (name, seconds) => {
    const measured = measureAudio(read(name));
    expect(measured.mostSeconds).toBeGreaterThanOrEqual(seconds - 0.001);
    expect(measured.mostSeconds).toBeLessThan(1.03 * seconds + 0.3);
    expect(measured.seconds).toBeGreaterThanOrEqual(seconds - 0.001);
  },
);

/** Replaces the first occurrence of a text, from an offset after it. */
function change(name: string, text: string, offset: number, bytes: number[]): Buffer {
  const copy = Buffer.from(read(name));
  copy.set(bytes, copy.indexOf(text, 0, 'latin1') + text.length + offset);
  return copy;
}

const NOTHING = [0, 0, 0, 1];

test.each<[string, Buffer, number]>([
  ['the size of the samples of a WAV', change('mono.wav', 'data', 0, [1, 0, 0, 0]), 1],
  ['the samples of a FLAC', change('silent.flac', 'fLaC', 18, NOTHING), 29.99],
  ['the times of an M4A', change('silent.m4a', 'stts', 12, NOTHING), 60],
  ['the duration of a track', change('silent.m4a', 'mdhd', 16, NOTHING), 60],
])('a header that understates %s changes nothing @attack', (_, bytes, seconds) => {
  expect(measureAudio(bytes).mostSeconds).toBeGreaterThanOrEqual(seconds);
});

test('a header that overstates the length is held for, as a provider may believe it', () => {
  const hour = change('silent.m4a', 'mdhd', 12, [0, 0, 0, 1, 0, 0, 14, 16]);
  expect(measureAudio(hour)).toMatchObject({ seconds: expect.closeTo(60.16), mostSeconds: 3_600 });
});

test('what another decoder could take for frames counts at the lowest bit rate', () => {
  const junk = Buffer.alloc(5_000, 1);
  const { seconds, mostSeconds } = measureAudio(Buffer.concat([read('voice.mp3'), junk, read('voice.mp3')]));
  // The tag of the second one is no frame either.
  expect(mostSeconds - seconds).toBeCloseTo(5, 0);
});

test('frames of a free bit rate, which some decoders read, count as the longest ones @attack', () => {
  const frame = Buffer.from([0xff, 0xe3, 0x08, 0xc0, ...Array(9).fill(0)]);
  const secondsOfFrame = 576 / 8_000;
  const bytes = Buffer.concat([read('voice.mp3'), Buffer.alloc(1_000 * frame.length, frame)]);
  const { seconds, mostSeconds } = measureAudio(bytes);
  expect(mostSeconds - seconds).toBeGreaterThanOrEqual(1_000 * secondsOfFrame);
});

/** A tag of ID3v2 with this beginning and size, and what is in it. */
const tagged = (head: number[], size: number[], content: Buffer): Buffer =>
  Buffer.concat([Buffer.from('ID3'), Buffer.from([...head, ...size]), content]);
const PLAIN_TAG = [3, 0, 0];
const mp3 = read('low.mp3').subarray(10 + 35);

test('a tag at the beginning of an MP3 has no length, nor have zeros behind it', () => {
  const bytes = tagged(PLAIN_TAG, [0, 0, 0, 100], Buffer.concat([Buffer.alloc(500), mp3]));
  expect(measureAudio(bytes)).toEqual(measureAudio(mp3));
});

const ebml = (id: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(id, 'hex'),
    Buffer.from([0x10, 0, content.length >> 8, content.length & 255]),
    content,
  ]);

test.each<[string, Buffer, string]>([
  ['text', Buffer.from('hello, this is no audio file at all'), 'must be WAV, MP3, M4A, WebM, Ogg or FLAC'],
  ['nothing but a header', read('mono.wav').subarray(0, 40), 'has no samples'],
  ['a WAV with a sample rate of 1 Hz', change('mono.wav', 'fmt ', 8, [1, 0, 0, 0]), 'has a sample rate of 1'],
  [
    'a WAV of empty chunks',
    Buffer.concat([read('mono.wav').subarray(0, 12), Buffer.alloc(1_000_000, 'JUNK\0\0\0\0')]),
    'has too many parts',
  ],
  ['a WAV with compressed samples', change('mono.wav', 'fmt ', 4, [17, 0]), 'is compressed'],
  ['a WAV whose samples have two sizes', change('mono.wav', 'fmt ', 16, [8, 0]), 'another size'],
  [
    'a FLAC with a sample rate of 0 Hz',
    change('voice.flac', 'fLaC', 14, [0, 0, 0]),
    'has a sample rate of 0',
  ],
  [
    'an M4A inside an M4A',
    Buffer.concat([read('voice.m4a'), read('voice.m4a')]),
    'must have one audio track',
  ],
  [
    'an M4A with a codec other than AAC',
    change('voice.m4a', 'mp4a', -4, [0x61, 0x6c, 0x61, 0x63]),
    'not AAC',
  ],
  ['an M4A whose boxes overlap', change('voice.m4a', 'stbl', -8, [0, 0, 0, 40]), 'has boxes that overlap'],
  [
    'an M4A with compressed headers',
    change('voice.m4a', 'mvhd', -4, [0x63, 0x6d, 0x6f, 0x76]),
    'has boxes that',
  ],
  [
    'an MP3 in a tag whose size has eight bits in a byte',
    tagged(PLAIN_TAG, [0x80, 0, 0, 0], mp3),
    'must be WAV',
  ],
  ['an MP3 in a tag with unknown flags', tagged([3, 0, 15], [0, 0, 0, 0], mp3), 'must be WAV'],
  ['a FLAC behind a tag', tagged(PLAIN_TAG, [0, 0, 0, 0], read('silent.flac')), 'must be WAV'],
  [
    'frames of another format behind two of MP3',
    Buffer.concat([mp3.subarray(0, 2 * 216), Buffer.alloc(5_000, Buffer.from([0xff, 0xf1, 0x6c, 0x40]))]),
    'must be WAV',
  ],
  [
    'a FLAC that begins with another block',
    change('voice.flac', 'fLaC', 0, [6]),
    'does not begin with its stream information',
  ],
  ['an M4A with MP3, whose samples have many frames', change('voice.m4a', 'esds', 17, [0x6b]), 'not AAC'],
  [
    'an M4A with flags in front of its configuration',
    change('voice.m4a', 'esds', 11, [0x40]),
    'one configuration',
  ],
  ['an Ogg behind an Ogg', Buffer.concat([read('voice.ogg'), read('silent.ogg')]), 'must have one stream'],
  ['an Ogg that begins again', Buffer.concat([read('voice.ogg'), read('voice.ogg')]), 'must have one stream'],
  ['an Ogg with pages of another stream', change('voice.ogg', 'OpusTags', -22, [0]), 'must have one stream'],
  ['an Ogg with another codec', change('voice.ogg', 'OpusHead', -8, [0x53]), 'neither Opus nor Vorbis'],
  [
    'clusters behind the end of a WebM',
    Buffer.concat([read('voice.webm'), read('voice.webm')]),
    'must have one audio track',
  ],
  [
    'clusters inside an element that is skipped',
    Buffer.concat([read('voice.webm'), ebml('ec', read('voice.webm').subarray(300))]),
    'has elements that overlap',
  ],
])('%s is refused @attack', (_, bytes, reason) => {
  expect(reasonOf(bytes)).toContain(reason);
});

/** Boxes in boxes, frames of a few bytes, packets of one byte: in minutes or endless if it were not linear. */
test.each<[string, Buffer, Uint8Array | string]>([
  ['boxes in boxes', read('voice.m4a').subarray(0, 32), '\0\0\0\x10moof'],
  ['a table of samples without bytes', read('voice.m4a'), '\0\0\0\x08free'],
  ['frames of 24 bytes', Buffer.alloc(0), Buffer.from([0xff, 0xf3, 0x14, 0xc4, ...Array(20).fill(0)])],
  ['almost frames', Buffer.from('ID3\x03\0\0\0\0\0\0'), Buffer.from([0xff])],
  ['almost frames of FLAC', read('voice.flac'), Buffer.from([0xff, 0xf8, 0x19, 0x18, 0])],
  [
    'packets of one byte',
    read('voice.ogg'),
    Buffer.concat([Buffer.from('OggS\0\0'), Buffer.alloc(20), Buffer.from([255]), Buffer.alloc(255, 1)]),
  ],
  ['blocks of a few bytes', read('voice.webm'), Buffer.from([0xa3, 0x85, 0x81, 0, 0, 0, 0x0b])],
  ['empty clusters', read('voice.webm'), Buffer.from([0x1f, 0x43, 0xb6, 0x75, 0x80])],
  [
    'masters in masters',
    read('voice.webm').subarray(0, 36),
    Buffer.from([0xa0, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]),
  ],
])('25 MB of %s are measured in linear time @attack', (_, begin, piece) => {
  const growth = findGrowth((length) => {
    const bytes = Buffer.concat([begin, Buffer.alloc(length, piece)]);
    return () => reasonOf(bytes);
  }, 6_250_000);
  expect(growth).toBeNull();
});

test('damaged files are measured or refused, never an exception @attack', () => {
  const random = randomFrom(7);
  const below = (n: number) => Math.floor(random() * n);
  for (const name of Object.keys(RECORDINGS))
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(read(name));
      for (let byte = 0; byte < 4; byte++) bytes[below(Math.min(bytes.length, 1_000))] = below(256);
      reasonOf(bytes.subarray(0, 1 + below(bytes.length)));
    }
});
