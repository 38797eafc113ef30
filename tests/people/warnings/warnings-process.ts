import { sendWarnings } from '@/server/people/warnings/send';
import { noteSpending } from '@/server/people/warnings/watch';

/** A process that warns one user, as each instance of the service does. */
await noteSpending([process.argv[2] ?? '']);
await sendWarnings();
process.exit(0);
