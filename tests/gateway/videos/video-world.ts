import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { now, setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';

export { GROK } from './video-model';

import { GROK } from './video-model';
/** Enough of an MP4 for a client that only stores it. */
export const FILM = Buffer.from('....ftypisom-a-film');

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A provider of videos, whose answers a test replaces. */
export class VideoProvider {
  url = '';
  started: Json[] = [];
  reads = 0;
  files: string[] = [];
  /** The response to a request for a video. */
  onStart: Answer = (response) => send(response, { request_id: `job-${this.started.length}` });
  /** The state of a job. */
  onRead: Answer = (response) => send(response, this.done());
  onFile: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': FILM.length });
    response.end(FILM);
  };

  done(more: Json = {}): Json {
    const video = { url: `${this.url}/files/film.mp4?sig=account`, duration: 4, respect_moderation: true };
    return { status: 'done', model: 'grok-imagine-video', video, ...more };
  }

  async listen(): Promise<void> {
    const server = await listenOnLoopback(async (request, response) => {
      const text = await readBody(request);
      const path = request.url ?? '';
      if (path.startsWith('/files/')) {
        this.files.push(`${path} ${request.headers.authorization ?? 'without key'}`);
        return this.onFile(response, request);
      }
      if (request.method === 'POST') {
        this.started.push(JSON.parse(text) as Json);
        return this.onStart(response, request);
      }
      this.reads++;
      return this.onRead(response, request);
    });
    this.url = server.url;
    afterAll(() => server.close());
  }
}

export function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export const answer =
  (body: unknown, status = 200): Answer =>
  (response) =>
    send(response, body, status);

export async function startVideoWorld() {
  await newDatabase();
  const provider = new VideoProvider();
  await provider.listen();
  process.env.XAI_API_KEY = 'key-of-the-operator';
  process.env.XAI_BASE_URL = `${provider.url}/v1`;
  const { url } = await startApi();
  afterEach(() => setClock());

  const as = ({ userKey }: Person, headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${userKey}`,
    'content-type': 'application/json',
    ...headers,
  });
  const start = (person: Person, body: Json = {}, headers = {}, signal?: AbortSignal) =>
    fetch(`${url}/v1/videos`, {
      method: 'POST',
      headers: as(person, headers),
      body: JSON.stringify({ model: GROK, prompt: 'A lighthouse', ...body }),
      ...(signal && { signal }),
    });
  const read = (person: Person, path: string, method = 'GET') =>
    fetch(`${url}/v1/videos${path}`, { method, headers: as(person) });

  return { url, provider, start, read, newBuyer };
}

const newBuyer = (credits = 1_000): Promise<Person> => newPerson({ credits, rateBp: 2_500 });

/** Time passes on all clocks but the database's. */
export function pass(seconds: number): void {
  const at = now() + seconds * 1_000;
  setClock(() => at);
}

/** The next look at each job, whenever it is due. */
export async function lookNow(): Promise<void> {
  pass(20);
  await lookAfterVideos();
}

export type Booked = { receipts: Json[]; losses: Json[]; holds: number; running: number };

/** All that the ledger has of a user's requests. */
export async function bookedOf({ userId }: Pick<Person, 'userId'>): Promise<Booked> {
  const { rows: receipts } = await pool().query(
    `SELECT request_id, model, provider_cost, charge, held, input_units, output_units, price_version, estimated, outcome
     FROM usage WHERE user_id = $1 ORDER BY created_at`,
    [userId],
  );
  const { rows: losses } = await pool().query(
    'SELECT reason, cost, is_estimated FROM provider_loss WHERE user_id = $1 ORDER BY at',
    [userId],
  );
  const { rows } = await pool().query(
    `SELECT (SELECT count(*)::int FROM hold WHERE user_id = $1) AS holds, running FROM wallet WHERE user_id = $1`,
    [userId],
  );
  return { receipts, losses, holds: rows[0].holds, running: rows[0].running };
}
