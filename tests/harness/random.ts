/** A repeatable source of random numbers. `SEED=n` repeats a run; the seed is printed. */
export function seededRandom(
  seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32)),
): () => number {
  console.info(`SEED=${seed}`);
  let state = seed >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
