import { z } from 'zod';
import type { Form } from './form-encoding';
import { formatMoney } from './money-text';
import {
  currency,
  flag,
  integer,
  metadata,
  oneOf,
  positiveAmount,
  readParameters,
  url,
} from './read-parameters';
import { invalidRequest, missingParameter } from './stripe-errors';
import { unixSeconds } from './time';

const MINIMUM_AMOUNT_MINOR = 50;
const MINIMUM_LIFE_SECONDS = 30 * 60;
const MAXIMUM_LIFE_SECONDS = 24 * 60 * 60;

const lineItem = z.strictObject({
  quantity: z.literal('1', { error: 'the sandbox sells one item at a time' }),
  price_data: z.strictObject({
    currency,
    unit_amount: positiveAmount,
    tax_behavior: oneOf('exclusive', 'inclusive', 'unspecified').optional(),
    product_data: z.strictObject({ name: z.string().min(1) }),
  }),
});

const intentData = z.strictObject({
  description: z.string().optional(),
  metadata: metadata.optional(),
  setup_future_usage: oneOf('off_session', 'on_session').optional(),
  statement_descriptor_suffix: z.string().max(22).optional(),
  transfer_group: z.string().optional(),
});

const createSchema = z.strictObject({
  mode: z.literal('payment', { error: 'the sandbox supports payment only' }),
  ui_mode: oneOf('embedded_page', 'hosted_page').default('hosted_page'),
  line_items: z.tuple([lineItem], { error: 'the sandbox sells one item at a time' }),
  adaptive_pricing: z.strictObject({ enabled: z.literal('false') }).optional(),
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  cancel_url: url.optional(),
  client_reference_id: z.string().max(200).optional(),
  consent_collection: z.strictObject({ terms_of_service: oneOf('none', 'required').optional() }).optional(),
  customer: z.string().optional(),
  customer_update: z
    .strictObject({ address: oneOf('auto', 'never').optional(), name: oneOf('auto', 'never').optional() })
    .optional(),
  expires_at: integer.optional(),
  invoice_creation: z.strictObject({ enabled: flag }).optional(),
  locale: z.string().optional(),
  metadata: metadata.optional(),
  origin_context: oneOf('mobile_app', 'web').optional(),
  payment_intent_data: intentData.optional(),
  redirect_on_completion: oneOf('always', 'if_required', 'never').optional(),
  return_url: url.optional(),
  saved_payment_method_options: z
    .strictObject({
      payment_method_remove: oneOf('disabled', 'enabled').optional(),
      payment_method_save: oneOf('disabled', 'enabled').optional(),
    })
    .optional(),
  submit_type: oneOf('auto', 'book', 'donate', 'pay', 'subscribe').optional(),
  success_url: url.optional(),
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
});
type Given = z.output<typeof createSchema>;

export type SessionParameters = Given & {
  amountMinor: number;
  currency: string;
  expiresAt: number;
  product: string;
};

/** Accepts what Stripe accepts and refuses what Stripe refuses, with its code and parameter name. */
export function readSessionParameters(form: Form): SessionParameters {
  const given = readParameters(createSchema, form);
  if (given.ui_mode === 'hosted_page') refuseHostedConflicts(given);
  else refuseEmbeddedConflicts(given);
  refuseCustomerConflicts(given);
  if (given.automatic_tax?.enabled) refuseTaxConflicts(given);
  const [{ price_data: price }] = given.line_items;
  refuseSmallAmount(price.unit_amount, price.currency);
  return {
    ...given,
    amountMinor: price.unit_amount,
    currency: price.currency,
    expiresAt: chooseExpiry(given.expires_at),
    product: price.product_data.name,
  };
}

function refuseHostedConflicts(given: Given): void {
  if (given.success_url === undefined) throw missingParameter('success_url');
  for (const param of ['return_url', 'redirect_on_completion'] as const) {
    if (given[param] !== undefined)
      throw invalidRequest(`You can only use \`${param}\` with \`ui_mode: embedded_page\`.`, { param });
  }
}

function refuseEmbeddedConflicts(given: Given): void {
  for (const param of ['success_url', 'cancel_url'] as const) {
    if (given[param] !== undefined) {
      throw invalidRequest(
        `You can not pass \`${param}\` when \`ui_mode\` is \`embedded_page\`. Use \`return_url\`.`,
        { param },
      );
    }
  }
  const neverRedirects = given.redirect_on_completion === 'never';
  if (neverRedirects && given.return_url !== undefined) {
    throw invalidRequest('You cannot pass `return_url` when `redirect_on_completion` is `never`.', {
      param: 'return_url',
    });
  }
  if (!neverRedirects && given.return_url === undefined) throw missingParameter('return_url');
}

function refuseCustomerConflicts({
  customer,
  customer_update: update,
  tax_id_collection: taxId,
}: Given): void {
  if (customer === undefined && update !== undefined)
    throw invalidRequest('`customer_update` can only be used with `customer`.', { param: 'customer_update' });
  if (taxId?.enabled && customer !== undefined && update?.name !== 'auto') {
    throw invalidRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      { param: 'tax_id_collection' },
    );
  }
}

/** Customers of the sandbox have no address on file, so tax always needs the one from the form. */
function refuseTaxConflicts({ customer, customer_update: update, line_items: [item] }: Given): void {
  if (customer !== undefined && update?.address !== 'auto') {
    throw invalidRequest(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to `auto`.',
      { code: 'customer_tax_location_invalid', param: 'automatic_tax' },
    );
  }
  if (item.price_data.tax_behavior !== 'inclusive') {
    throw invalidRequest('The sandbox calculates tax only for tax_behavior inclusive.', {
      param: 'line_items[0][price_data][tax_behavior]',
    });
  }
}

function refuseSmallAmount(amountMinor: number, chargeCurrency: string): void {
  if (amountMinor >= MINIMUM_AMOUNT_MINOR) return;
  const minimum = formatMoney(MINIMUM_AMOUNT_MINOR, chargeCurrency);
  throw invalidRequest(`The Checkout Session's total amount must be at least ${minimum}.`, {
    code: 'amount_too_small',
  });
}

function chooseExpiry(expiresAt: number | undefined): number {
  const created = unixSeconds();
  if (expiresAt === undefined) return created + MAXIMUM_LIFE_SECONDS;
  const refuse = (rule: string) =>
    invalidRequest(`The \`expires_at\` timestamp must be ${rule} from Checkout Session creation.`, {
      param: 'expires_at',
    });
  if (expiresAt < created + MINIMUM_LIFE_SECONDS) throw refuse('at least 30 minutes');
  if (expiresAt > created + MAXIMUM_LIFE_SECONDS) throw refuse('less than 24 hours');
  return expiresAt;
}
