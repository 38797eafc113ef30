import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson, readBody, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';
import { hashText, seededRandom } from './seeded-random';
import { countPromptTokens } from './token-usage';

const DIMENSIONS = 16;

type Body = { model?: unknown; input?: unknown; dimensions?: unknown; encoding_format?: unknown };

/** OpenAI's embeddings: equal texts have equal vectors, of length 1. */
export async function sendEmbeddings(
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readBody(request);
  const body = parseJson(text)?.value as Body | undefined;
  log.add(request, body ?? text);
  if (body?.model === 'embed-error-500') {
    const error = { message: 'The server had an error', type: 'server_error', param: null, code: null };
    return sendJson(response, 500, { error });
  }
  const inputs = readInputs(body?.input);
  if (body?.model !== 'embed' || inputs.length === 0) {
    const error = {
      message: 'Invalid embeddings request',
      type: 'invalid_request_error',
      param: null,
      code: null,
    };
    return sendJson(response, 400, { error });
  }
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : DIMENSIONS;
  const prompt_tokens = countPromptTokens(inputs.map((input) => ({ role: 'user', text: input })));
  sendJson(response, 200, {
    object: 'list',
    data: inputs.map((input, index) => ({
      object: 'embedding',
      index,
      embedding: encode(vectorOf(input, dimensions), body.encoding_format),
    })),
    model: body.model,
    usage: { prompt_tokens, total_tokens: prompt_tokens },
  });
}

function readInputs(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input)) return [];
  return typeof input[0] === 'number' ? [input.join(' ')] : input.map(String);
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const random = seededRandom(hashText(text));
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const encode = (vector: Float32Array, format: unknown): string | number[] =>
  format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
