import { requestInvoice } from '@/server/payments/invoices/issue';

/** A process in which a user requests the invoice of a purchase. */
const [userId = '', purchaseId = ''] = process.argv.slice(2);
await requestInvoice(userId, purchaseId);
process.exit(0);
