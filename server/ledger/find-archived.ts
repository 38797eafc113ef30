import { listMonths, readLines, readManifest } from './archive-files';
import { transactionIdOf } from './settlement';

/** The archived receipt of a request or transaction, as PostgreSQL wrote its row. */
export async function findArchived(
  dir: string,
  id: string,
): Promise<{ month: string; receipt: Record<string, unknown> } | null> {
  const transactionId = transactionIdOf(id);
  for (const month of await listMonths(dir)) {
    const [first, last] = (await readManifest(dir, month)).ids;
    if (transactionId < first || transactionId > last) continue;
    for await (const lines of readLines(dir, month, 'receipts')) {
      const line = lines.find((each) => each.includes(`"id":"${transactionId}"`));
      if (line !== undefined) return { month, receipt: JSON.parse(line) as Record<string, unknown> };
    }
  }
  return null;
}
