import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomBase62 } from '../../server/base/ids';
import { parseJson, readBody, sendJson } from '../loopback-server';
import { type Paint, writeMp4 } from './mp4';
import type { RequestLog } from './request-log';
import { hashText, seededRandom } from './seeded-random';

/**
 * xAI's videos: `film` is complete when its state is read for the third time, `film-error` fails then. The prompt `error 500` fails at once. Equal prompts have
 * equal videos, which are small, whatever size was asked for.
 */

type Job = { model: string; prompt: string; duration: number; reads: number };

const READS = 3;

export class SandboxVideos {
  readonly #jobs = new Map<string, Job>();

  async start(log: RequestLog, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const body = parseJson(text)?.value as Record<string, unknown> | undefined;
    log.add(request, body ?? text);
    const { model, prompt, duration } = body ?? {};
    if (
      (model !== 'film' && model !== 'film-error') ||
      typeof prompt !== 'string' ||
      typeof duration !== 'number'
    )
      return sendJson(response, 400, {
        error: { message: 'Invalid video request', code: 'invalid_argument' },
      });
    if (prompt === 'error 500')
      return sendJson(response, 500, { error: { message: 'The server had an error' } });
    if (/\bforbidden\b/.test(prompt))
      return sendJson(response, 400, {
        error: { message: 'Your request was rejected by the safety system.', code: 'moderation_blocked' },
      });
    const id = randomBase62(24);
    this.#jobs.set(id, { model, prompt, duration, reads: 0 });
    sendJson(response, 200, { request_id: id });
  }

  /** The state of a job, or its video. */
  read(pathname: string, request: IncomingMessage, response: ServerResponse): void {
    const [, id = '', file] = /^\/v1\/videos\/(\w+)(\/file)?$/.exec(pathname) ?? [];
    const job = this.#jobs.get(id);
    if (job === undefined) return sendJson(response, 404, { error: { message: 'No such video' } });
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      return void response.end(film(job));
    }
    job.reads++;
    sendJson(response, 200, describe(job, `http://${request.headers.host}/v1/videos/${id}/file`));
  }
}

function describe({ model, duration, reads }: Job, url: string): object {
  if (reads < READS) return { status: 'pending', progress: Math.floor((100 * reads) / READS), model };
  if (model === 'film-error')
    return { status: 'failed', model, error: { code: 'internal_error', message: 'The server had an error' } };
  return { status: 'done', progress: 100, model, video: { url, duration, respect_moderation: true } };
}

const FRAMES = { width: 96, height: 64, perSecond: 4 };

/** A sun that crosses a sky in two colours. */
function film({ prompt, duration }: Job): Buffer {
  const random = seededRandom(hashText(prompt));
  const [top, bottom, blue, red] = [
    90 + random() * 60,
    140 + random() * 60,
    110 + random() * 60,
    90 + random() * 60,
  ];
  const count = FRAMES.perSecond * duration;
  const paint: Paint = (frame, x, y) => {
    const sun = { x: (FRAMES.width * (frame + 0.5)) / count, y: 20 + 8 * Math.cos((4 * frame) / count) };
    if (Math.hypot(x - sun.x, y - sun.y) < 10) return [220, 60, 150];
    return [top + ((bottom - top) * y) / FRAMES.height, blue, red];
  };
  return writeMp4({ ...FRAMES, count }, paint);
}
