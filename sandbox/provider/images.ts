import type { IncomingMessage, ServerResponse } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import { parseJson, readBody, readForm, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';
import { hashText, seededRandom } from './seeded-random';
import { countPromptTokens } from './token-usage';

/**
 * OpenAI's images: `paint` counts image tokens as GPT Image 2 does, `sketch` makes images with one price. Equal prompts
 * have equal pictures, which are small, whatever size was asked for.
 */

type Body = {
  model?: unknown;
  prompt?: unknown;
  n?: unknown;
  size?: unknown;
  quality?: unknown;
  stream?: unknown;
  partial_images?: unknown;
  images?: unknown;
  mask?: unknown;
};

const SIDE_OF: Readonly<Record<string, number>> = { low: 16, medium: 48, high: 96 };
const INPUT_IMAGE_TOKENS = 1_024;
const PARTIAL_IMAGE_TOKENS = 100;
const PIXELS = 256;

export async function sendImages(
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readRequest(request);
  log.add(request, body);
  const { model, prompt } = body;
  if (model === 'paint-error-500')
    return sendError(response, 500, { message: 'The server had an error', type: 'server_error' });
  if ((model !== 'paint' && model !== 'sketch') || typeof prompt !== 'string')
    return sendError(response, 400, { message: 'Invalid images request', type: 'invalid_request_error' });
  if (/\bforbidden\b/.test(prompt))
    return sendError(response, 400, {
      message: 'Your request was rejected by the safety system.',
      type: 'image_generation_user_error',
      code: 'moderation_blocked',
    });
  const count = typeof body.n === 'number' ? body.n : 1;
  const images = Array.from({ length: count }, (_, index) => drawPng(`${prompt} ${index}`));
  if (body.stream === true) return streamImage(response, body, images[0] ?? '');
  sendJson(response, 200, {
    created: 1_764_374_400,
    data: images.map((image) => ({ b64_json: image })),
    ...(model === 'paint' && {
      output_format: 'png',
      quality: qualityOf(body),
      size: sizeOf(body).join('x'),
      usage: usageOf(body, count, 0),
    }),
  });
}

/** An edit may be a form, whose fields are text. */
async function readRequest(request: IncomingMessage): Promise<Body> {
  if (!request.headers['content-type']?.startsWith('multipart/'))
    return (parseJson(await readBody(request))?.value ?? {}) as Body;
  const { fields, files } = await readForm(request);
  const {
    n,
    stream,
    partial_images: partial,
    ...texts
  } = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  const images = files.filter(({ field }) => field !== 'mask').map(({ filename }) => filename);
  return {
    ...texts,
    images,
    mask: files.length > images.length,
    stream: stream === 'true',
    ...(n !== undefined && { n: Number(n) }),
    ...(partial !== undefined && { partial_images: Number(partial) }),
  };
}

function sendError(response: ServerResponse, status: number, error: object): void {
  sendJson(response, status, { error: { param: null, code: null, ...error } });
}

function streamImage(response: ServerResponse, body: Body, image: string): void {
  const kind = Array.isArray(body.images) ? 'image_edit' : 'image_generation';
  const partial = typeof body.partial_images === 'number' ? body.partial_images : 0;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, more: object) =>
    response.write(
      `event: ${type}\ndata: ${JSON.stringify({ type, created_at: 1_764_374_400, ...more })}\n\n`,
    );
  for (let index = 0; index < partial; index++)
    send(`${kind}.partial_image`, { partial_image_index: index, b64_json: image });
  send(`${kind}.completed`, { b64_json: image, usage: usageOf(body, 1, partial) });
  response.end();
}

function usageOf(body: Body, count: number, partial: number) {
  const text_tokens = countPromptTokens([{ role: 'user', text: String(body.prompt) }]);
  const inputImages = Array.isArray(body.images) ? body.images.length + (body.mask ? 1 : 0) : 0;
  const image_tokens = inputImages * INPUT_IMAGE_TOKENS;
  const output_tokens = count * (imageTokens(body) + partial * PARTIAL_IMAGE_TOKENS);
  const input_tokens = text_tokens + image_tokens;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: { text_tokens, image_tokens },
  };
}

function imageTokens(body: Body): number {
  const [width, height] = sizeOf(body);
  const long = SIDE_OF[qualityOf(body)] ?? 96;
  const short = Math.round((long * Math.min(width, height)) / Math.max(width, height));
  return Math.ceil((long * short * (2_000_000 + width * height)) / 4_000_000);
}

const qualityOf = ({ quality }: Body): string =>
  typeof quality === 'string' && quality !== 'auto' ? quality : 'medium';

function sizeOf({ size }: Body): [number, number] {
  const [width = 1_024, height = 1_024] =
    typeof size === 'string' && size !== 'auto' ? size.split('x').map(Number) : [];
  return [width, height];
}

type Circle = { x: number; y: number; radius: number; colour: readonly number[] };

/** A sky in two colours with some circles. */
function drawPng(seed: string): string {
  const random = seededRandom(hashText(seed));
  const colour = () => [random() * 255, random() * 255, random() * 255];
  const [top, bottom] = [colour(), colour()];
  const circles: Circle[] = Array.from({ length: 5 }, () => ({
    x: random() * PIXELS,
    y: random() * PIXELS,
    radius: 16 + random() * 56,
    colour: colour(),
  }));
  const rows = Buffer.alloc(PIXELS * (1 + 3 * PIXELS));
  for (let y = 0; y < PIXELS; y++)
    for (let x = 0; x < PIXELS; x++) {
      const circle = circles.find((one) => Math.hypot(x - one.x, y - one.y) < one.radius);
      const pixel = circle?.colour ?? top.map((part, i) => part + (((bottom[i] ?? 0) - part) * y) / PIXELS);
      rows.set(pixel.map(Math.round), y * (1 + 3 * PIXELS) + 1 + 3 * x);
    }
  return writePng(rows).toString('base64');
}

function writePng(rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(PIXELS, 0);
  header.writeUInt32BE(PIXELS, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
