import { UploadedFile } from '../../base/http/read-multipart';
import { parseDataUrl, sniffImageType } from '../protocols/media';
import { type Json, NO_TOKENS, type TokenUsage, writeUnits } from '../protocols/neutral';
import { asArray, asObject, asText, refuse } from '../protocols/read-fields';
import { MAX_COUNT, readCount } from './count';
import { type ProviderFailure, readProviderFailure } from './provider-failure';

/** Google's Interactions API, as its own client has it (`@google/genai` 2.32.0, November 2026). */

export const INTERACTIONS_PATH = '/interactions';

/** An image of the request, which Google takes by its bytes only. */
export function writeImage(image: UploadedFile | { image_url: string }, param: string): Json {
  const isFile = image instanceof UploadedFile;
  const data = isFile ? image.bytes.toString('base64') : parseDataUrl(image.image_url)?.data;
  if (data === undefined) throw refuse(`${param}.image_url`, 'must be a data URL for this model');
  return { type: 'image', data, mime_type: sniffImageType(data) };
}

/** What the model made of this type. What the request contained is no step of the model. */
export const contentsOf = ({ steps }: Json, type: string): Json[] =>
  asArray(steps)
    .map(asObject)
    .filter((step) => step.type === 'model_output')
    .flatMap((step) => asArray(step.content).map(asObject))
    .filter((content) => content.type === type);

/**
 * Tokens of what is made have a price of their own. All others of the output are charged as text, thoughts included,
 * which Google counts outside the output. Null for a report that cannot be read.
 */
export function readUsage(given: unknown, made: 'image' | 'video'): TokenUsage | null {
  const usage = asObject(given);
  const ofMade = readTokens(usage.output_tokens_by_modality, made);
  const output = readCount(usage.total_output_tokens);
  if (ofMade === null || output === null) return null;
  const input = readCount(usage.total_input_tokens) ?? 0;
  const reasoning = readCount(usage.total_thought_tokens) ?? 0;
  const total = readCount(usage.total_tokens) ?? 0;
  const others = Math.max(0, Math.max(output + reasoning, total - input) - ofMade);
  return {
    ...NO_TOKENS,
    input,
    output: others,
    reasoning: Math.min(reasoning, others),
    ...writeUnits({ input: 0, output: ofMade }),
  };
}

/** The tokens of a modality; null if they cannot be read. */
export function readTokens(given: unknown, modality: string): number | null {
  if (!Array.isArray(given)) return null;
  let sum = 0;
  for (const entry of given.map(asObject)) {
    if (asText(entry.modality).toLowerCase() !== modality) continue;
    const count = readCount(entry.tokens);
    if (count === null) return null;
    sum += count;
  }
  return sum <= MAX_COUNT ? sum : null;
}

/** Why an interaction ended without what it should have made. */
export function readEnd({ error, errors, status }: Json): ProviderFailure {
  const reason = error ?? asArray(errors)[0] ?? { message: `The interaction is ${asText(status)}` };
  return readProviderFailure({ status: 500, body: JSON.stringify({ error: reason }) });
}
