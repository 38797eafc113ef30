import type { Json, StopReason } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, lookUp } from '../../protocols/read-fields';

/** Text and reasoning of a message or delta, in all the forms that providers use. */
export type Content = { reasoning: string; text: string; refusal: string };

export function readContent(message: Json): Content {
  const content: Content = {
    reasoning: readReasoning(message),
    text: asText(message.content),
    refusal: asText(message.refusal),
  };
  if (!Array.isArray(message.content)) return content;
  for (const part of message.content.map(asObject)) {
    if (part.type === 'thinking') content.reasoning += joinTexts(part.thinking);
    else if (part.type === 'refusal') content.refusal += asText(part.refusal);
    else content.text += asText(part.text);
  }
  return content;
}

/** OpenRouter sends the same reasoning under two names; the first one counts. */
function readReasoning(message: Json): string {
  return (
    asText(message.reasoning_content) || asText(message.reasoning) || joinTexts(message.reasoning_details)
  );
}

function joinTexts(parts: unknown): string {
  if (typeof parts === 'string') return parts;
  return asArray(parts)
    .map((part) => asText(asObject(part).text) || asText(asObject(part).summary))
    .join('');
}

/** Bytes of output: the base of an estimate. */
export function countOutputBytes(message: Json): number {
  const { reasoning, text, refusal } = readContent(message);
  let bytes = Buffer.byteLength(reasoning) + Buffer.byteLength(text) + Buffer.byteLength(refusal);
  if (isObject(message.audio)) bytes += countSpeechBytes(message.audio);
  for (const call of asArray(message.tool_calls)) bytes += countCallBytes(asObject(call).function);
  return bytes + countCallBytes(message.function_call);
}

/** 64,000 characters a second, of 20 tokens, as PCM in base64; estimates count four bytes of text as a token. */
const SPEECH_PER_BYTE = 800;

const countSpeechBytes = ({ data, transcript }: Json): number =>
  Math.ceil(asText(data).length / SPEECH_PER_BYTE) + Buffer.byteLength(asText(transcript));

function countCallBytes(called: unknown): number {
  if (!isObject(called)) return 0;
  const json =
    typeof called.arguments === 'string' ? called.arguments : JSON.stringify(called.arguments ?? '');
  return Buffer.byteLength(asText(called.name)) + Buffer.byteLength(json === '""' ? '' : json);
}

/** All known finish reasons. An unlisted one is a normal end. */
const STOP_REASONS: Record<string, StopReason> = {
  tool_calls: 'tool-use',
  tool_use: 'tool-use',
  function_call: 'tool-use',
  length: 'length',
  max_tokens: 'length',
  max_output: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  content_filter: 'refusal',
  safety: 'refusal',
  recitation: 'refusal',
  blocklist: 'refusal',
  prohibited_content: 'refusal',
  spii: 'refusal',
  image_safety: 'refusal',
};

/** A finish reason that is a failure. */
export const FAILED = 'error';

/** Tool calls determine the stop reason, whatever the provider reports. */
export function readStopReason(reported: string, { hasCalls }: { hasCalls: boolean }): StopReason {
  const reason = lookUp(STOP_REASONS, reported.toLowerCase()) ?? 'end';
  if (reason === 'end') return hasCalls ? 'tool-use' : 'end';
  return reason === 'tool-use' && !hasCalls ? 'end' : reason;
}
