import { beginTopUps } from '@/server/payments/checkout/top-up/advance';

/** A process that begins the top-up of one user, as each instance of the service does. */
await beginTopUps([process.argv[2] ?? '']);
process.exit(0);
