/**
 * Does the work so many times, in lanes side by side. Where each takes a database connection, more at
 * once would wait for one longer on a slow machine than the product does, and be told that it is busy.
 */
export async function inLanes<T>(
  { lanes, times }: { lanes: number; times: number },
  work: () => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun++ < times) results.push(await work());
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
