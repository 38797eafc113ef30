import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson, readBody, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';
import { speak, toWav } from './tones';

/** OpenAI's speech: `speak` makes a WAV of tones, in two pieces, whatever format was asked for. */
export async function sendSpeech(
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readBody(request);
  const body = parseJson(text)?.value as { model?: unknown; input?: unknown; voice?: unknown } | undefined;
  log.add(request, body ?? text);
  if (body?.model === 'speak-error-500')
    return sendError(response, 500, { message: 'The server had an error', type: 'server_error' });
  if (body?.model !== 'speak' || typeof body.input !== 'string' || typeof body.voice !== 'string')
    return sendError(response, 400, { message: 'Invalid speech request', type: 'invalid_request_error' });
  const wav = toWav(speak(body.input));
  response.writeHead(200, { 'content-type': 'audio/wav' });
  response.write(wav.subarray(0, wav.length / 2));
  response.end(wav.subarray(wav.length / 2));
}

function sendError(response: ServerResponse, status: number, error: object): void {
  sendJson(response, status, { error: { param: null, code: null, ...error } });
}
