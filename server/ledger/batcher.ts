/**
 * Micro-batching without a timer: while a statement is in flight, what arrives waits; when it
 * returns, all that waits goes into the next one. Alone, a request waits for nothing; under load
 * batches grow by themselves.
 */
export type BatcherOptions<Item, Result> = {
  /** Runs one batch; `results[i]` answers `items[i]`. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Whether a failed batch may succeed in part. */
  mayBeOfOneItem?: (error: unknown) => boolean;
  /** Items of one key never run at the same time: their rows would wait for each other. */
  keyOf: (item: Item) => string;
  maxBatch?: number;
  /** Statements in flight at the same time, while those before are slow. */
  lanes?: number;
  /**
   * A statement that takes longer, because it waits for a lock, no longer holds up the rest. Quick ones
   * follow each other in one lane: the connection stays warm and the batches large.
   */
  slowAfterMs?: number;
};

type Waiting<Item, Result> = {
  item: Item;
  key: string;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

export type Batcher<Item, Result> = {
  submit: (item: Item) => Promise<Result>;
  /** Items waiting or in flight. */
  pending: () => number;
};

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { run, mayBeOfOneItem = () => true, keyOf, maxBatch = 50, lanes = 2, slowAfterMs = 50 } = options;
  let waiting: Waiting<Item, Result>[] = [];
  const busyKeys = new Set<string>();
  let inFlight = 0;
  let running = 0;
  let slow = 0;
  let scheduled = false;

  function submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, key: keyOf(item), resolve, reject });
      schedule();
    });
  }

  // One turn of the event loop collects what arrived together.
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      startBatches();
    });
  }

  function startBatches(): void {
    while (mayStart() && startBatch()) {
      // fills the lanes that are free
    }
  }

  const mayStart = () => running <= slow && running < lanes;

  function startBatch(): boolean {
    const batch = takeBatch();
    if (batch.length === 0) return false;
    running++;
    inFlight += batch.length;
    let isSlow = false;
    const patience = setTimeout(() => {
      isSlow = true;
      slow++;
      startBatches();
    }, slowAfterMs);
    void runBatch(batch).then((answers) => {
      clearTimeout(patience);
      if (isSlow) slow--;
      running--;
      inFlight -= batch.length;
      for (const { key } of batch) busyKeys.delete(key);
      // First the next batch: the database works on while these answers are acted on.
      startBatches();
      for (const answer of answers) answer();
    });
    return true;
  }

  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const entry of waiting) {
      if (batch.length < maxBatch && !busyKeys.has(entry.key)) {
        busyKeys.add(entry.key);
        batch.push(entry);
      } else {
        left.push(entry);
      }
    }
    waiting = left;
    return batch;
  }

  /** How each caller is to be answered. A batch that fails is split in halves, so that one bad row fails alone. */
  async function runBatch(batch: Waiting<Item, Result>[]): Promise<(() => void)[]> {
    try {
      const results = await run(batch.map((entry) => entry.item));
      return batch.map(
        ({ resolve }, index) =>
          () =>
            resolve(results[index] as Result),
      );
    } catch (error) {
      if (batch.length === 1 || !mayBeOfOneItem(error))
        return batch.map(
          ({ reject }) =>
            () =>
              reject(error),
        );
      const middle = Math.ceil(batch.length / 2);
      return [...(await runBatch(batch.slice(0, middle))), ...(await runBatch(batch.slice(middle)))];
    }
  }

  return { submit, pending: () => waiting.length + inFlight };
}
