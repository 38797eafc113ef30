/** Work that every instance repeats in the background while it handles requests. */
export type Job = {
  /** As in the metrics and the log. */
  name: string;
  everyMs: number;
  /** Long work watches the signal, which asks it to stop. */
  run: (stop: AbortSignal) => Promise<unknown>;
  /** Runs when the instance stops, after the last round. */
  atEnd?: () => Promise<void>;
};
