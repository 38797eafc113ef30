import { closeDatabase } from '@/server/base/db';
import { claimDue } from '@/server/partners/webhooks/claim';
import { Slots } from '@/server/partners/webhooks/slots';
import { startDeliveryWorker } from '@/server/partners/webhooks/worker';

/**
 * A process that delivers, as each instance of the service does; with `claim` it only claims what is due
 * and then hangs, like a process that is about to die.
 */
const print = (line: string) => process.stdout.write(`${line}\n`);

if (process.argv[2] === 'claim') {
  const claims = await claimDue(new Slots().room());
  print(`claimed ${claims.length}`);
  setInterval(() => {}, 60_000);
} else {
  const stop = startDeliveryWorker();
  process.once('SIGTERM', async () => {
    print('stopping');
    await stop();
    await closeDatabase();
    print('stopped');
  });
  print('ready');
}
