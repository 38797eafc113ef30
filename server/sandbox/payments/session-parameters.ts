import { z } from 'zod';
import type { Form } from './form-encoding';
import { formatMoney } from './money-text';
import { flag, integer, metadata, oneOf, readParameters, url } from './read-parameters';
import { invalidRequest, missingParameter } from './stripe-errors';
import { unixSeconds } from './time';

const MINIMUM_AMOUNT = 50;
const MAXIMUM_AMOUNT = 99_999_999;
const MINIMUM_LIFE_SECONDS = 30 * 60;
const MAXIMUM_LIFE_SECONDS = 24 * 60 * 60;

const lineItem = z.strictObject({
  quantity: integer.pipe(
    z.number().int().min(1, { error: 'This value must be greater than or equal to 1.' }),
  ),
  price_data: z.strictObject({
    currency: z
      .string()
      .regex(/^[a-zA-Z]{3}$/, { error: 'Invalid currency' })
      .toLowerCase(),
    unit_amount: integer.pipe(z.number().min(0, { error: 'Invalid non-negative integer' })),
    tax_behavior: oneOf('exclusive', 'inclusive', 'unspecified').optional(),
    product_data: z.strictObject({
      name: z.string().min(1),
      description: z.string().optional(),
      images: z.array(z.string()).optional(),
      metadata: metadata.optional(),
      tax_code: z.string().optional(),
      unit_label: z.string().optional(),
    }),
  }),
  metadata: metadata.optional(),
});

const ignored = z.unknown().optional();

/** Parameters that change nothing here; Stripe takes them, so the sandbox does too. */
const withoutEffect = {
  allowed_payment_method_types: ignored,
  custom_text: ignored,
  excluded_payment_method_types: ignored,
  integration_identifier: ignored,
  name_collection: ignored,
  payment_method_options: ignored,
  phone_number_collection: ignored,
  wallet_options: ignored,
};

/** Parameters of Stripe with an effect that the sandbox does not have: better refused than ignored. */
const NOT_IN_SANDBOX = [
  'after_expiration',
  'allow_promotion_codes',
  'custom_fields',
  'customer_account',
  'discounts',
  'managed_payments',
  'optional_items',
  'payment_method_collection',
  'payment_method_configuration',
  'payment_method_data',
  'permissions',
  'setup_intent_data',
  'shipping_address_collection',
  'shipping_options',
  'subscription_data',
];

const createSchema = z.strictObject({
  ...withoutEffect,
  mode: oneOf('payment', 'setup', 'subscription'),
  ui_mode: oneOf('elements', 'embedded_page', 'form', 'hosted_page').default('hosted_page'),
  line_items: z.array(lineItem).min(1),
  currency: z.string().optional(),
  adaptive_pricing: z.strictObject({ enabled: flag.optional() }).optional(),
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  billing_address_collection: oneOf('auto', 'required').optional(),
  consent_collection: z
    .strictObject({
      promotions: oneOf('auto', 'none').optional(),
      terms_of_service: oneOf('none', 'required').optional(),
    })
    .optional(),
  invoice_creation: z.strictObject({ enabled: flag }).optional(),
  saved_payment_method_options: z
    .strictObject({
      allow_redisplay_filters: z.array(oneOf('always', 'limited', 'unspecified')).optional(),
      payment_method_remove: oneOf('disabled', 'enabled').optional(),
      payment_method_save: oneOf('disabled', 'enabled').optional(),
    })
    .optional(),
  tax_id_collection: z
    .strictObject({ enabled: flag, required: oneOf('if_supported', 'never').optional() })
    .optional(),
  success_url: url.optional(),
  cancel_url: url.optional(),
  return_url: url.optional(),
  redirect_on_completion: oneOf('always', 'if_required', 'never').optional(),
  client_reference_id: z.string().max(200).optional(),
  customer: z.string().optional(),
  customer_creation: oneOf('always', 'if_required').optional(),
  customer_email: z.email({ error: 'Invalid email address' }).optional(),
  customer_update: z
    .strictObject({
      address: oneOf('auto', 'never').optional(),
      name: oneOf('auto', 'never').optional(),
      shipping: oneOf('auto', 'never').optional(),
    })
    .optional(),
  expires_at: integer.optional(),
  expand: z.array(z.string()).optional(),
  locale: z.string().optional(),
  metadata: metadata.optional(),
  origin_context: oneOf('mobile_app', 'web').optional(),
  submit_type: oneOf('auto', 'book', 'donate', 'pay', 'subscribe').optional(),
  branding_settings: z.looseObject({ display_name: z.string().optional() }).optional(),
  payment_intent_data: z
    .strictObject({
      description: z.string().optional(),
      metadata: metadata.optional(),
      receipt_email: z.string().optional(),
      setup_future_usage: oneOf('off_session', 'on_session').optional(),
      statement_descriptor: z.string().max(22).optional(),
      statement_descriptor_suffix: z.string().max(22).optional(),
      transfer_group: z.string().optional(),
      capture_method: oneOf('automatic', 'automatic_async').optional(),
    })
    .optional(),
});

export type SessionParameters = z.output<typeof createSchema> & {
  expiresAt: number;
  amountTotal: number;
  chargeCurrency: string;
};

/** Takes what Stripe takes and refuses what Stripe refuses, with its code and parameter name. */
export function readSessionParameters(form: Form): SessionParameters {
  refuseNotInSandbox(form);
  const given = readParameters(createSchema, form);
  refuseWrongMode(given);
  refuseCustomerConflicts(given);
  refuseTaxConflicts(given);
  const expiresAt = chooseExpiry(given.expires_at);
  return { ...given, expiresAt, ...sumLineItems(given) };
}

function refuseNotInSandbox(form: Form): void {
  const missing = NOT_IN_SANDBOX.find((name) => form[name] !== undefined);
  if (missing !== undefined)
    throw invalidRequest(`The sandbox does not support this parameter: ${missing}`, { param: missing });
}

function refuseWrongMode(given: z.output<typeof createSchema>): void {
  if (given.mode !== 'payment')
    throw invalidRequest(`The sandbox supports mode payment only, not ${given.mode}.`, { param: 'mode' });
  if (given.ui_mode === 'hosted_page') refuseHostedConflicts(given);
  else if (given.ui_mode === 'embedded_page') refuseEmbeddedConflicts(given);
  else
    throw invalidRequest(
      `The sandbox supports ui_mode hosted_page and embedded_page, not ${given.ui_mode}.`,
      { param: 'ui_mode' },
    );
}

function refuseHostedConflicts(given: z.output<typeof createSchema>): void {
  if (given.success_url === undefined) throw missingParameter('success_url');
  for (const param of ['return_url', 'redirect_on_completion'] as const) {
    if (given[param] !== undefined)
      throw invalidRequest(`You can only use \`${param}\` with \`ui_mode: embedded_page\`.`, { param });
  }
}

function refuseEmbeddedConflicts(given: z.output<typeof createSchema>): void {
  for (const param of ['success_url', 'cancel_url'] as const) {
    if (given[param] !== undefined) {
      throw invalidRequest(
        `You can not pass \`${param}\` when \`ui_mode\` is \`embedded_page\`. Use \`return_url\`.`,
        { param },
      );
    }
  }
  const never = given.redirect_on_completion === 'never';
  if (never && given.return_url !== undefined) {
    throw invalidRequest('You cannot pass `return_url` when `redirect_on_completion` is `never`.', {
      param: 'return_url',
    });
  }
  if (!never && given.return_url === undefined) throw missingParameter('return_url');
}

function refuseCustomerConflicts(given: z.output<typeof createSchema>): void {
  if (given.customer === undefined && given.customer_update !== undefined)
    throw invalidRequest('`customer_update` can only be used with `customer`.', { param: 'customer_update' });
  if (given.customer !== undefined && given.customer_creation !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_creation.', {
      param: 'customer_creation',
    });
  }
}

/** A customer of the sandbox has no address on file, so tax always waits for the one in the form. */
function refuseTaxConflicts(given: z.output<typeof createSchema>): void {
  const { customer, customer_update: update, line_items: items } = given;
  if (given.tax_id_collection?.enabled && customer !== undefined && update?.name !== 'auto') {
    throw invalidRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      { param: 'tax_id_collection' },
    );
  }
  if (!given.automatic_tax?.enabled) return;
  if (customer !== undefined && update?.address !== 'auto') {
    throw invalidRequest(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to `auto`.',
      { code: 'customer_tax_location_invalid', param: 'automatic_tax' },
    );
  }
  if (items.some(({ price_data: { tax_behavior } }) => tax_behavior !== 'inclusive')) {
    throw invalidRequest('The sandbox works out tax for the tax_behavior inclusive only.', {
      param: 'line_items[0][price_data][tax_behavior]',
    });
  }
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

function sumLineItems(given: z.output<typeof createSchema>): { amountTotal: number; chargeCurrency: string } {
  const currencies = new Set(given.line_items.map((item) => item.price_data.currency));
  const [chargeCurrency = 'usd'] = currencies;
  if (currencies.size > 1)
    throw invalidRequest('All line items must have the same currency.', { param: 'line_items' });
  const amountTotal = given.line_items.reduce(
    (sum, item) => sum + item.quantity * item.price_data.unit_amount,
    0,
  );
  if (amountTotal < MINIMUM_AMOUNT) {
    throw invalidRequest(
      `The Checkout Session's total amount must be at least ${formatMoney(MINIMUM_AMOUNT, chargeCurrency)}.`,
      {
        code: 'amount_too_small',
      },
    );
  }
  if (amountTotal > MAXIMUM_AMOUNT) {
    throw invalidRequest(
      `The Checkout Session's total amount must be no more than ${formatMoney(MAXIMUM_AMOUNT, chargeCurrency)}.`,
      {
        code: 'amount_too_large',
      },
    );
  }
  return { amountTotal, chargeCurrency };
}
