/**
 * Runs the work `times` times, at most `lanes` in parallel. Without that maximum, on a slow machine
 * work that takes a database connection would time out waiting for one.
 */
export async function inLanes<T>(
  { lanes, times }: { lanes: number; times: number },
  work: () => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let started = 0;
  const lane = async () => {
    while (started++ < times) results.push(await work());
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
