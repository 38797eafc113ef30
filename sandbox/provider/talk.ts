import { secondsOf, secondsOfText, speak, toWav, transcribe } from './tones';

/** OpenAI's audio in chat: the model `talk` hears what `speak` said, and says what it writes. */

/** OpenAI's guide "Managing costs", 2026. */
const HEARD_TOKENS_PER_SECOND = 10;
const SPOKEN_TOKENS_PER_SECOND = 20;
const HOUR_SECONDS = 3_600;
/** As the model `speak`. */
const MOST_BYTES = 4_096;

export type SpokenFormat = 'wav' | 'pcm16';

/** What a recording says, and its tokens. */
export function hear(base64: string): { text: string; tokens: number } {
  const wav = Buffer.from(base64, 'base64');
  return {
    text: transcribe(wav) ?? `A recording of ${wav.length} bytes.`,
    tokens: Math.max(0, Math.ceil(HEARD_TOKENS_PER_SECOND * secondsOf(wav))),
  };
}

export const spokenTokens = (text: string): number => tokensOf(Buffer.byteLength(text));

const tokensOf = (bytes: number): number => Math.ceil(SPOKEN_TOKENS_PER_SECOND * secondsOfText(bytes));

/** The tokens of a text that fit a limit together with their sound. */
export function fitSpeech(tokens: readonly string[], limit: number): string[] {
  let bytes = 0;
  const end = tokens.findIndex((token, index) => {
    bytes += Buffer.byteLength(token);
    return bytes > MOST_BYTES || index + 1 + tokensOf(bytes) > limit;
  });
  return end === -1 ? [...tokens] : tokens.slice(0, end);
}

export function say(text: string, format: SpokenFormat): string {
  const samples = speak(text);
  return (format === 'wav' ? toWav(samples) : samples).toString('base64');
}

/** The audio of a message. */
export const writeSpeech = (id: string, text: string, format: SpokenFormat, nowSeconds: number): object => ({
  id,
  data: say(text, format),
  transcript: text,
  expires_at: nowSeconds + HOUR_SECONDS,
});
