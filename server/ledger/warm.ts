import type { Picocredits } from '../base/credits';
import { LEDGER_CONNECTIONS, ledgerPool } from '../base/db';
import { writeBatch } from './batch';

/**
 * Opens the connections for batches and plans their statement on each, which takes about 10 ms of CPU, so that no
 * paid request waits for it. The batch names a request and a key that do not exist: it changes nothing.
 */
export async function warmLedger(): Promise<void> {
  const batch = writeBatch(
    [{ userId: '', requestId: '' }],
    [{ keyHash: Buffer.alloc(0), requestId: '', model: '', need: NOTHING, want: NOTHING }],
  );
  await Promise.all(Array.from({ length: LEDGER_CONNECTIONS }, () => ledgerPool().query(batch)));
}

const NOTHING = 0n as Picocredits;
