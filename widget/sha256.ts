/**
 * SHA-256 of ASCII text. `crypto.subtle` is missing on plain-http pages and is asynchronous elsewhere. After
 * an asynchronous step, browsers no longer attribute a new window to the click of the user.
 */
export function sha256(text: string): Uint8Array {
  const words = pad(text);
  const state = fractions((prime) => prime ** (1 / 2)).slice(0, 8);
  for (let start = 0; start < words.length; start += 16) compress(state, words.subarray(start, start + 16));
  const bytes = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => bytes.setUint32(index * 4, word));
  return new Uint8Array(bytes.buffer);
}

function pad(text: string): Uint32Array {
  const bytes = new DataView(new ArrayBuffer((((text.length + 8) >> 6) + 1) * 64));
  for (let i = 0; i < text.length; i++) bytes.setUint8(i, text.charCodeAt(i));
  bytes.setUint8(text.length, 0x80);
  bytes.setUint32(bytes.byteLength - 4, text.length * 8);
  return Uint32Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.getUint32(index * 4));
}

/** The first 32 fraction bits of a root of each of the first 64 primes: where the constants come from. */
function fractions(root: (prime: number) => number): Uint32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return Uint32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

const ROUNDS = /* @__PURE__ */ fractions((prime) => prime ** (1 / 3));

function compress(state: Uint32Array, block: Uint32Array): void {
  const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by));
  const at = (list: Uint32Array, index: number) => list[index] as number;
  const w = new Uint32Array(64);
  w.set(block);
  for (let i = 16; i < 64; i++) {
    const [x, y] = [at(w, i - 15), at(w, i - 2)];
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + at(ROUNDS, i) + at(w, i);
    const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = at(state, index) + value;
  });
}
