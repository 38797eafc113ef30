import { EventReader, isLoopback, type Retry, wait } from './event-reader.js';
import { type SvcEvent, verifyWebhook, type WebhookHeaders } from './webhooks.js';

export {
  type Metadata,
  type SvcEvent,
  verifyWebhook,
  type WebhookHeaders,
} from './webhooks.js';

export type WebhookOptions = {
  /** The signing secret, `whsec_…`. During a rotation, both. */
  secret: string | readonly string[];
  /**
   * Called for each genuine event, and for a repeated one again: store the ids you have processed. The service
   * waits five seconds, and repeats an event whose handler throws.
   */
  onEvent(event: SvcEvent): void | Promise<void>;
};

/** For Next.js, SvelteKit, workers and others with `Request`: `export const POST = webhookRoute({ … })`. */
export function webhookRoute(options: WebhookOptions): (request: Request) => Promise<Response> {
  const handle = createHandler(options);
  return async (request) => {
    const body = await readBody(request.body ?? []);
    const { status, text } = await handle(body, request.headers);
    return new Response(text, { status });
  };
}

/** For Hono: `app.post('/svc', webhookHono({ … }))`. */
export function webhookHono(
  options: WebhookOptions,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const route = webhookRoute(options);
  return ({ req }) => route(req.raw);
}

type NodeRequest = AsyncIterable<unknown> & { headers: WebhookHeaders; body?: unknown };
type NodeResponse = { statusCode: number; end(text?: string): unknown };

/** For Express and Node's own server: `app.post('/svc', webhookExpress({ … }))`, before `express.json()`. */
export function webhookExpress(
  options: WebhookOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const handle = createHandler(options);
  return async (request, response) => {
    const { status, text } = await handle(await readNodeBody(request), request.headers);
    response.statusCode = status;
    response.end(text ?? undefined);
  };
}

export type EventOptions = {
  /** Such as `https://YOUR-SERVICE`. */
  service: string;
  publishableKey: string;
  /** The signing secret, `whsec_…`. */
  secret: string;
  /** The `id` of the last event you have processed. Without it, from the oldest event. */
  after?: string;
  /** False: ends after the last event that exists. Default: waits for new ones. */
  follow?: boolean;
  signal?: AbortSignal;
  /** The service is not available, and is asked again. */
  onRetry?(retry: Retry): void;
};

const POLL_MS = 10_000;

/**
 * Yields the events of your app, oldest first. Store the `id` of each with your work, and pass the last one as `after`
 * to resume.
 */
export async function* events(options: EventOptions): AsyncGenerator<SvcEvent, void, undefined> {
  const { publishableKey, secret, follow = true, signal, onRetry = () => {} } = options;
  const service = new URL(options.service);
  if (service.protocol !== 'https:' && !isLoopback(service))
    throw new TypeError(`events: ${service.origin} must begin with https://`);
  const reader = new EventReader({ service, publishableKey, secret, signal }, onRetry);
  let { after } = options;
  for (;;) {
    const page = await reader.read(after);
    if (page === 'unknown_cursor')
      throw new RangeError(
        `events: the event ${after} is unknown or older than 30 days. Start without "after", and skip the ids you have processed.`,
      );
    for (const event of page.data) {
      yield event;
      after = event.id;
    }
    if (page.has_more) continue;
    if (!follow) return;
    await wait(POLL_MS, signal);
  }
}

// ── Webhooks ─────────────────────────────────────────────────────────────────────────────────

const BODY_BYTES = 1_000_000;

type Outcome = { status: number; text: string | null };

function createHandler({ secret, onEvent }: WebhookOptions) {
  // Throws without a secret, before the first request.
  verifyWebhook('', {}, secret);
  return async (body: Uint8Array | null, headers: WebhookHeaders): Promise<Outcome> => {
    if (body === null) return { status: 413, text: 'The body is larger than 1 MB.' };
    const event = verifyWebhook(body, headers, secret);
    if (event === null)
      return { status: 400, text: 'The signature is wrong or older than five minutes. Check the secret.' };
    await onEvent(event);
    return { status: 204, text: null };
  };
}

/** Null if it is too large. */
async function readBody(stream: AsyncIterable<unknown> | Iterable<never>): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : (chunk as Uint8Array);
    bytes += piece.length;
    if (bytes > BODY_BYTES) return null;
    chunks.push(piece);
  }
  const body = new Uint8Array(bytes);
  let end = 0;
  for (const chunk of chunks) {
    body.set(chunk, end);
    end += chunk.length;
  }
  return body;
}

async function readNodeBody(request: NodeRequest): Promise<Uint8Array | null> {
  const { body } = request;
  if (body === undefined) return readBody(request);
  if (body instanceof Uint8Array) return body.length > BODY_BYTES ? null : body;
  throw new TypeError(
    'webhookExpress: the body was parsed before. Add the route before express.json(), or with express.raw({ type: "*/*" }).',
  );
}
