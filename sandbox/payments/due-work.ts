import { decideDueDebits } from './bank-debits';
import type { Emulator } from './emulator';
import { expireDueSessions } from './sessions';

/** Runs what is due by the clock: before each request, and every few seconds. */
export async function doDueWork(emulator: Emulator): Promise<void> {
  await expireDueSessions(emulator);
  await decideDueDebits(emulator);
}
