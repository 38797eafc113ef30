/**
 * Micro-batching without a timer. Items that arrive while a statement is in flight wait; when it returns, all
 * of them go into the next one. A single request never waits, and batches grow with the load.
 */
export type BatcherOptions<Item, Result> = {
  /** Runs one batch; `results[i]` is the result of `items[i]`. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Whether one item may have caused the failure, so that the rest of the batch can succeed. */
  mayBeOfOneItem?: (error: unknown) => boolean;
  /** Items with the same key never run at the same time, because their rows would wait for each other. */
  keyOf: (item: Item) => string;
  /** Whether an item may follow others with its key in one batch, where `run` keeps their order. */
  mayFollow?: (item: Item) => boolean;
  maxBatch?: number;
  /** The maximum number of statements in flight. Another one starts only while the previous ones are slow. */
  lanes?: number;
  /**
   * A statement that takes longer is waiting for a lock and no longer delays the others. Fast statements
   * follow each other on one connection, which keeps its caches warm and the batches large.
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
  const { run, mayBeOfOneItem = () => true, keyOf, mayFollow = () => false } = options;
  const { maxBatch = 50, lanes = 2, slowAfterMs = 50 } = options;
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

  // All items that arrive in one turn of the event loop go into one batch.
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
      // Fill the free lanes.
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
      // Start the next batch first, so that the database works while these results are processed.
      startBatches();
      for (const answer of answers) answer();
    });
    return true;
  }

  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const taken = new Set<string>();
    for (const entry of waiting) {
      const isNext = taken.has(entry.key) ? mayFollow(entry.item) : !busyKeys.has(entry.key);
      if (batch.length < maxBatch && isNext) {
        taken.add(entry.key);
        busyKeys.add(entry.key);
        batch.push(entry);
      } else {
        // What comes later waits for it.
        taken.delete(entry.key);
        left.push(entry);
      }
    }
    waiting = left;
    return batch;
  }

  /** Returns how to settle each invariant. A batch that fails is split in half, so that one bad row fails alone. */
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
