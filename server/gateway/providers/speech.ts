import { each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import { type Json, NO_TOKENS } from '../protocols/neutral';
import { refuse } from '../protocols/read-fields';
import { countCharacters, type SpeechClientRequest } from '../protocols/speech/protocol';
import type { Exchange, ExchangeOptions } from './exchange';
import { brokenResponse } from './provider-failure';
import { newFacts, type StreamRelay } from './stream-relay';

export const SPEECH_FIELDS = ['voice', 'response_format', 'speed'] as const;
const FIELDS = fields(each(['model', 'input', 'stream_format', ...SPEECH_FIELDS], VALUE));

/** Speech in OpenAI's format, which its providers have in common. */
export function speechExchange(options: ExchangeOptions, { body }: SpeechClientRequest): Exchange {
  const { provider, upstreamModel } = options;
  if (provider.format !== 'openai') throw refuse('model', 'this provider has no speech');
  const warnings: string[] = [];
  const { model: _, stream_format: __, ...known } = keepKnownFields(body, FIELDS, warnings);
  const written: Json = { model: upstreamModel };
  for (const [name, value] of Object.entries(known)) if (value != null) written[name] = value;
  return {
    path: '/audio/speech',
    headers: {},
    body: written,
    warnings,
    isShortened: false,
    mayHideOutput: () => false,
    readWhole: () => {
      throw new Error('Speech is always a stream');
    },
    openStream: (contentType = '') => relayAudio(countCharacters(body.input), contentType),
  };
}

/** The longest text, spoken at a quarter of the speed, has 20 minutes: 110 MB of samples at 48 kHz. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The bytes as they arrive, one character for each. The characters are billed once the provider speaks. An error cannot
 * be told inside audio, so the connection is closed before its end.
 */
function relayAudio(characters: number, contentType: string): StreamRelay {
  const facts = newFacts();
  const isAudio = contentType.startsWith('audio/') || contentType === 'application/octet-stream';
  let bytes = 0;
  return {
    contentType: contentType.startsWith('audio/') ? contentType : 'audio/mpeg',
    isBytes: true,
    push(chunk) {
      if (!isAudio) facts.failure ??= brokenResponse('the provider sent no audio');
      bytes += chunk.length;
      if (bytes > MAX_BYTES) facts.failure ??= brokenResponse('the audio does not end');
      if (facts.failure !== null || chunk.length === 0) return '';
      facts.started = true;
      facts.outputDeltas++;
      const usage = { ...NO_TOKENS, inputUnits: characters };
      Object.assign(facts, { usage, inputReported: true, outputReported: true });
      return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    },
    end() {
      if (facts.started) Object.assign(facts, { finished: true, ended: true });
      else facts.failure ??= brokenResponse('the provider sent no audio');
      return '';
    },
    finish: () => '',
    fail: () => '',
    keepalive: '',
    facts,
  };
}
