import type { IncomingMessage, ServerResponse } from 'node:http';
import { readForm, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';
import { countPromptTokens } from './token-usage';
import { secondsOf, transcribe } from './tones';

/**
 * OpenAI's transcripts: `listen` reports seconds and `listen-tokens` tokens. What `speak` said is transcribed; of any other
 * recording, the transcript says how large it is.
 */

const MODELS = new Set(['listen', 'listen-tokens']);
const TOKENS_PER_SECOND = 10;

export async function sendTranscript(
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const [file] = form.files;
  const fields = Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
  log.add(request, { ...fields, file: file && { ...file, bytes: file.bytes.length } });
  if (fields.model === 'listen-error-500')
    return sendError(response, 500, { message: 'The server had an error', type: 'server_error' });
  if (file === undefined || !MODELS.has(fields.model ?? ''))
    return sendError(response, 400, { message: 'Invalid audio request', type: 'invalid_request_error' });
  const text = transcribe(file.bytes) ?? `A recording of ${file.bytes.length} bytes.`;
  const seconds = secondsOf(file.bytes);
  const usage = fields.model === 'listen' ? ofSeconds(seconds) : ofTokens(seconds, text);
  if (fields.stream === 'true') return streamTranscript(response, text, usage);
  if (fields.response_format === 'srt' || fields.response_format === 'vtt')
    return sendSubtitles(response, fields.response_format, text);
  const detailed = { task: 'transcribe', language: 'english', duration: seconds, segments: [], words: [] };
  sendJson(response, 200, {
    text,
    ...(fields.response_format === 'verbose_json' && detailed),
    usage,
  });
}

function sendError(response: ServerResponse, status: number, error: object): void {
  sendJson(response, status, { error: { param: null, code: null, ...error } });
}

const ofSeconds = (seconds: number) => ({ type: 'duration', seconds: Math.ceil(seconds) });

function ofTokens(seconds: number, text: string) {
  const audio_tokens = Math.ceil(seconds * TOKENS_PER_SECOND);
  const output_tokens = countPromptTokens([{ role: 'assistant', text }]);
  return {
    type: 'tokens',
    input_tokens: audio_tokens,
    input_token_details: { text_tokens: 0, audio_tokens },
    output_tokens,
    total_tokens: audio_tokens + output_tokens,
  };
}

function streamTranscript(response: ServerResponse, text: string, usage: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  for (const delta of text.split(/(?<= )/)) send({ type: 'transcript.text.delta', delta });
  send({ type: 'transcript.text.done', text, usage });
  response.end('data: [DONE]\n\n');
}

function sendSubtitles(response: ServerResponse, format: 'srt' | 'vtt', text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end(
    format === 'srt'
      ? `1\n00:00:00,000 --> 00:00:01,000\n${text}\n`
      : `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`,
  );
}
