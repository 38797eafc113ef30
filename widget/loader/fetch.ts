import type { SvcWidget } from '../api';
import { onSpent, openCheckout, type PageOptions, say, serviceOf, startSvc } from './page.js';

/** What the user has to do before the request can be sent. */
export type Need = {
  /** 401: sign in. 402: buy credits, or allow the app to use them. */
  status: 401 | 402;
  message: string;
  /** Where a signed-in user can do it without the checkout. */
  actionUrl: string | null;
  /** Of the request. */
  signal: AbortSignal | null;
};

type CommonOptions = {
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch;
  /**
   * Default true: each POST has an `Idempotency-Key`, so that a lost response is not charged twice. False for streams
   * that users stop: with a key, they are charged to their end.
   */
  idempotent?: boolean;
};

/** In a page: the key is that of the widget, and the checkout opens. */
export type PageFetchOptions = CommonOptions & PageOptions;

/** Anywhere else, such as an extension or a server. */
export type KeyFetchOptions = CommonOptions & {
  /** Such as `https://YOUR-SERVICE`. */
  service: string;
  getUserKey(): string | null | Promise<string | null>;
  /** Asks the user. Resolves to true once the request can be sent again. Default: the response is returned. */
  onNeed?(need: Need): boolean | Promise<boolean>;
};

type Source = {
  readKey(): string | null | Promise<string | null>;
  ask(need: Need): boolean | Promise<boolean>;
  onEnd?(): void;
};

/**
 * A `fetch` for the OpenAI, Anthropic and AI SDKs. It adds the user's key to requests to the service, and only to
 * those. After a 402 or 401, both refused before a provider was called, it asks the user and sends the request again,
 * once, with the same `Idempotency-Key`. It repeats nothing else.
 */
export function createSvcFetch(options: PageFetchOptions | KeyFetchOptions): typeof fetch {
  const service = serviceOf(options);
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  const source = 'getUserKey' in options ? sourceOfKey(options) : sourceOfPage(options);
  const attempts = createAttempts();
  const isNamed = options.idempotent !== false;
  let asking: Promise<boolean> | undefined;
  /** How often the user did what was asked. */
  let changes = 0;

  /** Requests that need something at the same time share one checkout. */
  function ask(need: Need): Promise<boolean> {
    asking ??= Promise.resolve(source.ask(need))
      .then((isDone) => {
        if (isDone) changes++;
        return isDone;
      })
      .finally(() => {
        asking = undefined;
      });
    return untilAborted(asking, need.signal);
  }

  async function fetchPaid(call: Call): Promise<Response> {
    const { signal } = call;
    const asked = new Set<number>();
    let key = await source.readKey();
    if (key === null) {
      asked.add(401);
      if (await ask({ ...SIGN_IN, signal })) key = await source.readKey();
    }
    for (;;) {
      const before = changes;
      const response = await attempts.track(call, () => send(call.url, call.initWith(key)), source.onEnd);
      const need = await readNeed(response, signal);
      if (need === null || !call.canRepeat || asked.has(need.status)) return response;
      asked.add(need.status);
      // A concurrent request may already have asked.
      if (before === changes && !(await ask(need))) return response;
      key = await source.readKey();
    }
  }

  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, globalThis.location?.href);
    if (url.origin !== service) return send(input, init);
    return fetchPaid(await readCall(url.href, input, init, isNamed ? attempts : null));
  };
}

const SIGN_IN = { status: 401, message: 'Please sign in.', actionUrl: null } as const;

// ── Who pays ─────────────────────────────────────────────────────────────────────────────────

const sourceOfKey = ({ getUserKey, onNeed }: KeyFetchOptions): Source => ({
  readKey: getUserKey,
  ask: (need) => onNeed?.(need) ?? false,
});

function sourceOfPage(options: PageFetchOptions): Source {
  // Loaded before the first click: a popup opens only inside one.
  let svc: SvcWidget | null = null;
  const load = async () => {
    const { fetch: _fetch, idempotent: _idempotent, ...page } = options;
    svc = await startSvc(page).catch((error: Error) => {
      say(error.message);
      return null;
    });
  };
  if (typeof document !== 'undefined') void load();
  return {
    async readKey() {
      if (typeof document === 'undefined') say('createSvcFetch() outside a page needs getUserKey.');
      else if (svc === null) await load();
      return svc?.getUserKey() ?? null;
    },
    ask: async () => svc !== null && openCheckout(svc),
    onEnd: () => {
      for (const notify of onSpent) notify();
    },
  };
}

// ── One call ─────────────────────────────────────────────────────────────────────────────────

type Call = {
  url: string;
  /** Identifies the same call by its content. */
  print: string;
  name: string | false | undefined;
  signal: AbortSignal | null;
  canRepeat: boolean;
  initWith(key: string | null): RequestInit;
};

async function readCall(
  url: string,
  input: RequestInfo | URL,
  given: RequestInit | undefined,
  attempts: Attempts | null,
): Promise<Call> {
  const request = input instanceof Request ? input : null;
  const method = (given?.method ?? request?.method ?? 'GET').toUpperCase();
  const body = given?.body ?? (request?.body ? await request.clone().arrayBuffer() : null);
  const headers = new Headers(given?.headers ?? request?.headers);
  // Other bodies have no text: each is a call of its own.
  const print = url + (typeof body === 'string' ? body : newName());
  const name = headers.get('idempotency-key') ?? (method === 'POST' && attempts?.name(print));
  const signal = given?.signal ?? request?.signal ?? null;
  return {
    url,
    print,
    name,
    signal,
    canRepeat: !(body as ReadableStream | undefined)?.getReader,
    initWith(key) {
      const sent = new Headers(headers);
      if (name) sent.set('idempotency-key', name);
      // Clients of the messages format send a placeholder there.
      sent.delete('x-api-key');
      sent.delete('authorization');
      if (key) sent.set('authorization', `Bearer ${key}`);
      // Followed, a redirect would take the request to another origin.
      return { ...given, method, headers: sent, redirect: 'manual', signal, body };
    },
  };
}

const KEPT = 16;

type Attempts = ReturnType<typeof createAttempts>;

/**
 * The `Idempotency-Key` of calls whose response was lost. SDKs repeat those by themselves, with the same body and
 * without a key: with the one of the first attempt, the service charges once.
 */
function createAttempts() {
  const lost = new Map<string, string>();
  return {
    name(print: string): string {
      const name = lost.get(print) ?? newName();
      lost.delete(print);
      return name;
    },
    async track(call: Call, send: () => Promise<Response>, onEnd?: () => void): Promise<Response> {
      try {
        const response = await send();
        const { status, ok, body } = response;
        if (status >= 500 || status === 429 || status === 408) lose(call);
        const reader = ok && body?.getReader?.();
        return reader ? new Response(follow(call, reader, onEnd), response) : response;
      } catch (error) {
        lose(call);
        throw error;
      }
    },
  };

  function lose({ print, name }: Call): void {
    if (name) lost.set(print, name);
    for (const oldest of lost.keys()) if (lost.size > KEPT) lost.delete(oldest);
  }

  /** A response that breaks off is lost too, unless the app has stopped it. */
  function follow(call: Call, reader: ReadableStreamDefaultReader, onEnd?: () => void): ReadableStream {
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          onEnd?.();
        } catch (error) {
          if (!call.signal?.aborted) lose(call);
          throw error;
        }
      },
      cancel: () => reader.cancel(),
    });
  }
}

/** Unique, not secret. */
const newName = (): string =>
  `svc-${'0'.repeat(32).replace(/0/g, () => ((Math.random() * 16) | 0).toString(16))}`;

/** Null if nothing the user does in the checkout helps: with `param`, a shorter prompt or another limit does. */
async function readNeed(response: Response, signal: AbortSignal | null): Promise<Need | null> {
  const { status } = response;
  if (status !== 401 && status !== 402) return null;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { error?: ServiceError } | null;
  const { type = '', message = '', param = null, action_url = null } = body?.error ?? {};
  const helps =
    status === 402
      ? param === null && /_credits$|^partner_/.test(type)
      : /^(missing_api|invalid_user)_key$/.test(type);
  return helps ? { status, message, actionUrl: action_url, signal } : null;
}

type ServiceError = { type?: string; message?: string; param?: string | null; action_url?: string };

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | null): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal?.reason ?? new Error('Aborted'));
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
  return Promise.race([work, aborted]);
}
