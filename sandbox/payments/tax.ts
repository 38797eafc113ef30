import { z } from 'zod';
import { requireTaxSettings } from './account';
import { TAX_COUNTRIES, taxWithin } from './buyer-details';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { newStripeId, type TaxCalculation } from './objects';
import { currency, positiveAmount, readParameters } from './read-parameters';
import { invalidRequest } from './stripe-errors';

const calculationSchema = z.strictObject({
  currency,
  customer: z.string(),
  line_items: z.tuple([
    z.strictObject({
      amount: positiveAmount,
      reference: z.string(),
      tax_behavior: z.literal('inclusive', { error: 'the sandbox calculates inclusive tax only' }),
    }),
  ]),
});

/** The tax within a price, at the address of the customer. */
export async function calculateTax({ records }: Emulator, form: Form): Promise<TaxCalculation> {
  const { currency: priced, customer, line_items } = readParameters(calculationSchema, form);
  requireTaxSettings(records);
  const { address } = records.require('customer', customer, 'customer');
  const percent = TAX_COUNTRIES.find(({ code }) => code === address?.country)?.percent;
  if (percent === undefined) {
    throw invalidRequest("The customer's location isn't recognized. Set a valid customer address.", {
      code: 'customer_tax_location_invalid',
      param: 'customer',
    });
  }
  const [{ amount }] = line_items;
  const calculation: TaxCalculation = {
    id: newStripeId('taxcalc'),
    object: 'tax.calculation',
    amount_total: amount,
    currency: priced,
    customer,
    tax_amount_exclusive: 0,
    tax_amount_inclusive: taxWithin(amount, percent),
  };
  await records.save('tax_calculation', calculation.id, calculation);
  return calculation;
}
