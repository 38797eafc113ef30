import { overloaded } from './errors';

/** Runs at most `running` works at once; as many as `waiting` wait for their turn, and others are refused. */
export function inTurn(running: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy < running) busy++;
    else if (queue.length >= waiting) throw overloaded();
    else await new Promise<void>((begin) => queue.push(begin));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) busy--;
      else next();
    }
  };
}
