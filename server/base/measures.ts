/**
 * What this process counts and measures, for `/metrics`. The values are kept here and not in prom-client, which
 * builds a text from the labels at each increment: six of them would take 1.8 µs of a paid request, these take 0.1.
 * Labels are routes, codes, providers and jobs, all from fixed lists.
 */

type Value = { value: number; labels: Record<string, string | number>; metricName?: string };

class Count<First extends string, Second extends string | number = never> {
  readonly #counts = new Map<First, Map<Second | '', number>>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labels: readonly [string, string?],
  ) {}

  add(first: First, second: Second | '' = ''): void {
    const counts = this.#counts.get(first);
    if (counts === undefined) this.#counts.set(first, new Map([[second, 1]]));
    else counts.set(second, (counts.get(second) ?? 0) + 1);
  }

  /** As prom-client writes it. */
  get() {
    const [nameOfFirst, nameOfSecond] = this.labels;
    const values: Value[] = [...this.#counts].flatMap(([first, counts]) =>
      [...counts].map(([second, value]) => ({
        value,
        labels: { [nameOfFirst]: first, ...(nameOfSecond !== undefined && { [nameOfSecond]: second }) },
      })),
    );
    return { name: this.name, help: this.help, type: 'counter', values, aggregator: 'sum' };
  }
}

/** In seconds, from a statement of the ledger to a long response. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

type Times = { buckets: number[]; count: number; seconds: number };

class Duration<Of extends string> {
  readonly #times = new Map<Of, Times>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly label: string | null,
  ) {}

  add(of: Of, durationMs: number): void {
    const times = this.#times.get(of) ?? this.#begin(of);
    const seconds = durationMs / 1000;
    times.count++;
    times.seconds += seconds;
    for (let i = 0; i < BOUNDS.length; i++) {
      if (seconds > (BOUNDS[i] as number)) continue;
      times.buckets[i] = (times.buckets[i] as number) + 1;
      return;
    }
  }

  #begin(of: Of): Times {
    const times = { buckets: BOUNDS.map(() => 0), count: 0, seconds: 0 };
    this.#times.set(of, times);
    return times;
  }

  /** As prom-client writes it: each bucket includes those before it. */
  get() {
    const values: Value[] = [...this.#times].flatMap(([of, { buckets, count, seconds }]) => {
      const labels = this.label === null ? {} : { [this.label]: of };
      let upTo = 0;
      const cumulated = [...buckets.map((n) => (upTo += n)), count];
      return [
        ...cumulated.map((value, i) => ({
          value,
          labels: { ...labels, le: BOUNDS[i] ?? '+Inf' },
          metricName: `${this.name}_bucket`,
        })),
        { value: seconds, labels, metricName: `${this.name}_sum` },
        { value: count, labels, metricName: `${this.name}_count` },
      ];
    });
    return { name: this.name, help: this.help, type: 'histogram', values, aggregator: 'sum' };
  }
}

export const httpRequests = new Count<string, number>(
  'svc_http_requests_total',
  'Responses of this instance, by route and status. 499: the client disconnected before the response began.',
  ['route', 'status'],
);

export const httpDurations = new Duration<string>(
  'svc_http_request_duration_seconds',
  'Time from the headers of a request to the end of its response.',
  'route',
);

export const apiErrors = new Count<string>('svc_errors_total', 'Error responses, by their code.', ['code']);

export const generationStarts = new Duration<'true' | 'false'>(
  'svc_generation_start_seconds',
  'Time from a generation request to the begin of its response, that of the provider included.',
  'streamed',
);

export const generations = new Count<'completed' | 'refused' | 'failed' | 'aborted'>(
  'svc_generations_total',
  'Generation requests with a hold that ended, by outcome. Aborted: after a client disconnect.',
  ['outcome'],
);

export const providerAttempts = new Count<string, string>(
  'svc_provider_attempts_total',
  'Calls to providers, by outcome: ok, disconnected (by the client), or the kind of failure.',
  ['provider', 'outcome'],
);

export const providerResponses = new Duration<string>(
  'svc_provider_response_seconds',
  'Time from a call to a provider to the headers of its response.',
  'provider',
);

/** Prompts whose beginning the provider has counted and cached a few minutes before. */
export const expectedCacheReads = new Count<string, 'read' | 'missed'>(
  'svc_expected_cache_reads_total',
  'Requests whose prompt should begin in the cache of the provider, by model and by whether it did.',
  ['model', 'outcome'],
);

export const ledgerBatches = new Duration<''>(
  'svc_ledger_batch_seconds',
  'Time of a statement that admits and settles requests.',
  null,
);

export const failedLedgerBatches = new Count<string>(
  'svc_ledger_batches_failed_total',
  "Statements of the ledger that failed, by PostgreSQL's code, or by that of the connection.",
  ['code'],
);

export const failedJobs = new Count<string>(
  'svc_background_job_failures_total',
  'Rounds of background jobs that failed.',
  ['job'],
);

export const MEASURES = [
  httpRequests,
  httpDurations,
  apiErrors,
  generationStarts,
  generations,
  providerAttempts,
  providerResponses,
  expectedCacheReads,
  ledgerBatches,
  failedLedgerBatches,
  failedJobs,
] as const;

type OpenConnections = { readonly open: number; readonly running: number };
let connections: OpenConnections = { open: 0, running: 0 };

export function watchConnections(given: OpenConnections): void {
  connections = given;
}

/** The open connections of clients, and those on which a response is running. */
export const countConnections = (): OpenConnections => connections;

/** When each background job last succeeded. */
export const jobSuccesses = new Map<string, number>();
