import type { SvcEvent } from './webhooks.js';

/** Reads `GET /v1/events` page by page, and waits while the service is not available. */

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A timer takes no more than 24 days, and ends at once above that. */
const LONGEST_ASKED_MS = 3_600_000;
const TIMEOUT_MS = 30_000;
const LIMIT = '100';

export type EventSource = {
  service: URL;
  publishableKey: string;
  secret: string;
  signal?: AbortSignal | undefined;
};
export type EventPage = { data: SvcEvent[]; has_more: boolean };
export type Retry = { problem: string; waitMs: number };

export class EventReader {
  private hasWorked = false;
  private readonly url: URL;
  private readonly authorization: string;

  constructor(
    private readonly source: EventSource,
    private readonly onRetry: (retry: Retry) => void,
  ) {
    this.url = new URL('/v1/events', source.service);
    this.authorization = `Basic ${btoa(`${source.publishableKey}:${source.secret}`)}`;
  }

  /** Fails at once before the first response: the address may be wrong. */
  async read(after: string | undefined): Promise<EventPage | 'unknown_cursor'> {
    this.url.search = new URLSearchParams({ limit: LIMIT, ...(after && { after }) }).toString();
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      const result = await this.ask();
      if (result === 'unknown_cursor' || 'data' in result) {
        this.hasWorked = true;
        return result;
      }
      const retry = { ...result, waitMs: Math.max(waitMs, result.waitMs) };
      this.onRetry(retry);
      await wait(retry.waitMs, this.source.signal);
    }
  }

  private async ask(): Promise<EventPage | 'unknown_cursor' | Retry> {
    const { signal } = this.source;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(this.url, {
        headers: { authorization: this.authorization, accept: 'application/json' },
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!this.hasWorked) throw new Error(`${this.url.origin} cannot be reached: ${describeFailure(error)}`);
      return { problem: describeFailure(error), waitMs: 0 };
    }
    const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
    if (response.ok && Array.isArray(body?.data)) return body as unknown as EventPage;
    const { message, param } = (body?.error ?? {}) as { message?: string; param?: string };
    if (response.status === 400 && param === 'after') return 'unknown_cursor';
    if (response.status === 429 || response.status >= 500)
      return {
        problem: `status ${response.status}`,
        // A proxy may send a date.
        waitMs: Math.min((Number(response.headers.get('retry-after')) || 0) * 1000, LONGEST_ASKED_MS),
      };
    throw new Error(
      message ??
        `${this.url.origin} is not a service with events: ${this.url.pathname} returned ${response.status}`,
    );
  }
}

/** Rejects with the reason of the signal. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

export function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}

/** Where a secret may be sent without TLS. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
