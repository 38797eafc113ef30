import { decideDueDebits } from './bank-debits';
import { type Emulator, expireDueSessions } from './sessions';

/** What time alone brings about. Runs before each request and now and then on its own. */
export async function doDueWork(emulator: Emulator): Promise<void> {
  await expireDueSessions(emulator);
  await decideDueDebits(emulator);
}
