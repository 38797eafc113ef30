import { bookCorrections } from '@/server/ledger';

/** A process that books corrections, as each instance of the service does. */
await bookCorrections();
process.exit(0);
