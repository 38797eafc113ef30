import { ApiError } from '../errors';

const beginning = new TextDecoder('utf-8', { fatal: true });
/** Would drop a byte order mark in the middle of the text otherwise. */
const rest = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes text chunk by chunk: 32 MB at once block other requests for 150 ms. Fails on anything but valid UTF-8,
 * which would reach the model with replacement characters.
 */
export class Utf8Decoder {
  #isBegun = false;
  /** The first bytes of a character that the last chunk ended in. */
  #cut: Buffer | null = null;

  decode(chunk: Buffer): string {
    const bytes = this.#cut === null ? chunk : Buffer.concat([this.#cut, chunk]);
    const end = endOfCharacters(bytes);
    this.#cut = end === bytes.length ? null : bytes.subarray(end);
    const decoder = this.#isBegun ? rest : beginning;
    this.#isBegun = true;
    return decode(decoder, end === bytes.length ? bytes : bytes.subarray(0, end));
  }

  /** Fails if the text ended in the middle of a character. */
  end(): void {
    if (this.#cut !== null) throw invalidText();
  }
}

function decode(decoder: TextDecoder, bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidText();
  }
}

/** The index after the last complete character. Invalid bytes count as complete. */
function endOfCharacters(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needed > back ? length - back : length;
  }
  return length;
}

const invalidText = (): ApiError => new ApiError('invalid_request', 'The request body must be valid UTF-8.');
