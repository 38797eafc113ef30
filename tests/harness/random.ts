/** Returns a repeatable source of random numbers (mulberry32): the same seed gives the same numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** On a build machine, where a failure is of the change that it tests. */
const SEED_OF_CI = 20_261_128;

/** The seed in `variable`, else a new one each time, and prints it, so that `SEED=n` repeats a run. */
export function chooseSeed(variable = 'SEED'): number {
  const chosen = process.env.CI ? SEED_OF_CI : Math.floor(Math.random() * 2 ** 31);
  const seed = Number(process.env[variable] ?? chosen);
  console.info(`${variable}=${seed}`);
  return seed;
}

export const seededRandom = (): (() => number) => randomFrom(chooseSeed());
