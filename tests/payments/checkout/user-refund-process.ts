import { prisma } from '@/server/base/db';
import { completeUserRefunds, findNextRefund, refundByUser } from '@/server/payments/checkout/user-refunds';

/** A process in which a user asks for a refund, or that completes those of others, as each instance of the service does. */
const [userId = ''] = process.argv.slice(2);
const next = userId === '' ? null : await findNextRefund(userId);
if (next === null) await completeUserRefunds();
else await refundByUser({ userId, purchaseId: next.purchaseId, refundId: 'of the tests' });
await prisma().$disconnect();
process.exit(0);
