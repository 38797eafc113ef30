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
  statement_descriptor_suffix: z.string().max(22).optional(),
  transfer_group: z.string().optional(),
});

const forBoth = {
  mode: z.literal('payment', { error: 'the sandbox supports payment and setup' }),
  line_items: z.tuple([lineItem], { error: 'the sandbox sells one item at a time' }),
  adaptive_pricing: z.strictObject({ enabled: z.literal('false') }).optional(),
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
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
  saved_payment_method_options: z
    .strictObject({
      allow_redisplay_filters: z.array(oneOf('always', 'limited', 'unspecified')).optional(),
      payment_method_remove: oneOf('disabled', 'enabled').optional(),
      payment_method_save: oneOf('disabled', 'enabled').optional(),
    })
    .optional(),
  submit_type: oneOf('auto', 'book', 'donate', 'pay', 'subscribe').optional(),
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
};
const onlyWith = (mode: string) => z.undefined({ error: `only possible with ui_mode ${mode}` }).optional();
const hostedSchema = z.strictObject({
  ...forBoth,
  ui_mode: z.literal('hosted_page', { error: 'must be hosted_page or embedded_page' }).default('hosted_page'),
  cancel_url: url.optional(),
  redirect_on_completion: onlyWith('embedded_page'),
  return_url: onlyWith('embedded_page'),
  success_url: url,
});
const embeddedSchema = z.strictObject({
  ...forBoth,
  ui_mode: z.literal('embedded_page'),
  cancel_url: onlyWith('hosted_page'),
  redirect_on_completion: oneOf('always', 'if_required', 'never').default('always'),
  return_url: url.optional(),
  success_url: onlyWith('hosted_page'),
});
type Given = z.output<typeof hostedSchema> | z.output<typeof embeddedSchema>;

/** A page that saves a card, without a payment. */
const setupSchema = z.strictObject({
  mode: z.literal('setup'),
  ui_mode: z.literal('hosted_page', { error: 'the sandbox adds cards on a hosted page only' }),
  allowed_payment_method_types: z.tuple([z.literal('card', { error: 'the sandbox saves cards only' })]),
  cancel_url: url.optional(),
  customer: z.string(),
  locale: z.string().optional(),
  payment_method_data: z.strictObject({ allow_redisplay: oneOf('always', 'limited', 'unspecified') }),
  success_url: url,
});

/** What all sessions have; those without a payment lack the rest. */
export type SessionParameters = Partial<Omit<Given, 'mode' | 'ui_mode'>> & {
  mode: 'payment' | 'setup';
  ui_mode: 'hosted_page' | 'embedded_page';
  amountMinor: number;
  currency: string;
  expiresAt: number;
  product: string;
  payment_method_data?: z.output<typeof setupSchema>['payment_method_data'];
};

/** Accepts what Stripe accepts and refuses what Stripe refuses, with its code and parameter name. */
export function readSessionParameters(form: Form): SessionParameters {
  if (form.mode === 'setup') {
    const setup = readParameters(setupSchema, form);
    return { ...setup, amountMinor: 0, currency: '', expiresAt: chooseExpiry(undefined), product: '' };
  }
  const isEmbedded = form.ui_mode === 'embedded_page';
  const given = isEmbedded ? readParameters(embeddedSchema, form) : readParameters(hostedSchema, form);
  if (given.ui_mode === 'embedded_page') checkReturnUrl(given);
  refuseConflicts(given);
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

function checkReturnUrl({ redirect_on_completion, return_url }: z.output<typeof embeddedSchema>): void {
  if (redirect_on_completion !== 'never' && return_url === undefined) throw missingParameter('return_url');
  if (redirect_on_completion !== 'never' || return_url === undefined) return;
  throw invalidRequest('You cannot pass `return_url` when `redirect_on_completion` is `never`.', {
    param: 'return_url',
  });
}

type Conflict = { param: string; message: string; code?: string; when(given: Given): boolean };
const CONFLICTS: readonly Conflict[] = [
  {
    param: 'customer_update',
    message: '`customer_update` can only be used with `customer`.',
    when: ({ customer, customer_update }) => customer === undefined && customer_update !== undefined,
  },
  {
    param: 'tax_id_collection',
    message:
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    when: ({ customer, customer_update, tax_id_collection }) =>
      customer !== undefined && tax_id_collection?.enabled === true && customer_update?.name !== 'auto',
  },
  {
    // Customers of the sandbox have no address on file, so tax always needs the one from the form.
    param: 'automatic_tax',
    code: 'customer_tax_location_invalid',
    message:
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to `auto`.',
    when: ({ customer, customer_update, automatic_tax }) =>
      customer !== undefined && automatic_tax?.enabled === true && customer_update?.address !== 'auto',
  },
  {
    param: 'line_items[0][price_data][tax_behavior]',
    message: 'The sandbox calculates tax only for tax_behavior inclusive.',
    when: ({ automatic_tax, line_items: [{ price_data }] }) =>
      automatic_tax?.enabled === true && price_data.tax_behavior !== 'inclusive',
  },
];

function refuseConflicts(given: Given): void {
  const conflict = CONFLICTS.find(({ when }) => when(given));
  if (conflict === undefined) return;
  const { when: _, message, ...details } = conflict;
  throw invalidRequest(message, details);
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
