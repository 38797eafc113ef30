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

/** Uses a new seed each time and prints it, so that `SEED=n` repeats a run. */
export function seededRandom(): () => number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  console.info(`SEED=${seed}`);
  return randomFrom(seed);
}
