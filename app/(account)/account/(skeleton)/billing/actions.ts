'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { removeBillingDetails, saveBillingDetails } from '@/server/payments/invoices/billing-details';
import { requestInvoice } from '@/server/payments/invoices/issue';

const HARMLESS = { harmless: 'changes only what the user’s own invoices say' };
const text = z.string().max(1000);

export const saveDetails = sessionAction(
  z.object({ name: text, address: text, country: text, taxId: text, reference: text }),
  async ({ userId }, details) => {
    const saved = await saveBillingDetails(userId, details);
    if (!saved.ok) return saved;
    revalidatePath('/account/billing');
    return { ok: true, message: 'Billing details saved' };
  },
  HARMLESS,
);

export const removeDetails = sessionAction(
  z.object({}),
  async ({ userId }) => {
    await removeBillingDetails(userId);
    revalidatePath('/account/billing');
    return { ok: true, message: 'Billing details removed' };
  },
  HARMLESS,
);

export const createInvoice = sessionAction(
  z.object({ purchaseId: z.string().max(100) }),
  async ({ userId }, { purchaseId }) => {
    const invoice = await requestInvoice(userId, purchaseId);
    if (!invoice.ok) throw new ApiError('invalid_request', REFUSALS[invoice.reason]);
    revalidatePath(`/account/receipts/${purchaseId}`);
    return { ok: true };
  },
  HARMLESS,
);

const REFUSALS = {
  not_offered: 'Invoices are not offered here',
  no_such_purchase: 'This purchase does not exist',
  invoiced_by_processor: 'Stripe issues the invoice of this purchase',
  no_billing_details: 'Enter your billing details first',
};
