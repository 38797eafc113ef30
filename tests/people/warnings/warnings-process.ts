import { noteSpending } from '@/server/people/warnings/watch';
import { sendMails } from '@/server/process/mail-jobs';

/** A process that warns one user, as each instance of the service does. */
await noteSpending([process.argv[2] ?? '']);
await sendMails('warning');
process.exit(0);
