import { Prisma } from '../../../prisma/client/client';

/**
 * What the export of an account contains. Each column of a table in it is exported, unless its name or `withheld` says why
 * not. A test compares this with schema.prisma: no column that may be a secret is exported, and each other table with
 * something about a person is left out for a reason.
 */

export type Section = Selection & {
  table: string;
  /** As they are called in the file. */
  columns: readonly string[];
  also: readonly string[];
  join: string;
};

type Selection = {
  /** Its name in the file. */
  name: string;
  model: Prisma.ModelName;
  /** With the name of the app next to its id. */
  withApp?: true;
  /** Further values: SQL over `t` and what `join` adds. */
  also?: readonly string[];
  join?: string;
  /** SQL that selects the rows of the account: `$1` is its id, or its e-mail address if `by` says so. */
  where?: string;
  by?: 'email';
  /** Columns that identify a row within the account, in the order of the file. */
  key: readonly string[];
  /** Expressions that precede the key in the index that finds the rows. They sort them as the key does. */
  keyPrefix?: readonly string[];
  /** Read by pocket, as the index is. */
  byPocket?: true;
  /** One object instead of a list. */
  isSingle?: true;
  /** Columns, and why they are not in the file. */
  withheld?: Readonly<Record<string, string>>;
};

const ACCOUNT_ID = 'The account id is used nowhere outside the service.';
const AT_PROCESSOR = 'An id at the payment processor, which means nothing elsewhere.';
const HASH = 'A hash of a secret.';
const CONTENT = 'The content belongs to the app, which can read it until it expires.';
const WORK = 'Says when a job works on it next.';
const PLACE = 'The place in a conversation whose content belongs to the app.';

/** Columns of any table that are withheld, and why. */
export const WITHHELD_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^user_id$/, ACCOUNT_ID],
  [/(^|_)hash$|token(?!s)|secret|sealed|password|_key$/, 'A secret, or a hash of one.'],
  [/^processor_|^card_id$/, AT_PROCESSOR],
  [/due_at$|_attempts$|^lease_until$/, WORK],
  [/^metered_/, 'What a request that still runs has cost so far.'],
];

const SELECTIONS: readonly Selection[] = [
  {
    name: 'account',
    model: 'User',
    where: 't.id = $1',
    key: ['id'],
    isSingle: true,
    withheld: { id: ACCOUNT_ID, deleted_at: 'Null while the account exists.' },
  },
  { name: 'email_changes', model: 'EmailChange', key: ['id'] },
  { name: 'devices', model: 'Session', key: ['id'] },
  {
    name: 'passkeys',
    model: 'Passkey',
    key: ['id'],
    withheld: {
      credential_id: 'Names the key pair on the device.',
      user_handle: 'Names the user on the device.',
      counter: 'Detects copies of the key pair.',
    },
  },
  { name: 'refunds', model: 'UserRefund', key: ['user_id', 'id'] },
  { name: 'linked_identities', model: 'LinkedIdentity', key: ['id'] },
  {
    name: 'sign_in_codes',
    model: 'LoginChallenge',
    withApp: true,
    also: ['CASE WHEN t.consumed_at IS NOT NULL THEN t.client_network END AS client_network'],
    where: 't.email = $1',
    by: 'email',
    key: ['id'],
    withheld: {
      email: 'That of the account.',
      mailbox: 'The e-mail address without its tag.',
      visit_id: 'A checkout window, which is listed under checkout_visits.',
      client_network: 'Of a code that was not used, it may be that of someone else.',
      client_site: 'The network in a coarser form.',
      known_browser: 'The id of a browser, as secret as its cookie.',
    },
  },
  {
    name: 'device_authorizations',
    model: 'DeviceAuthorization',
    withApp: true,
    key: ['device_code_hash'],
    withheld: { interval_seconds: WORK, polled_at: WORK },
  },
  {
    name: 'apps',
    model: 'UserApp',
    withApp: true,
    key: ['partner_id'],
    withheld: { epoch: 'Counts how often the allowance was saved.' },
  },
  { name: 'keys', model: 'UserKey', withApp: true, key: ['id'], withheld: { exact_use: WORK } },
  {
    name: 'key_networks',
    model: 'KeyNetwork',
    join: 'JOIN user_key k ON k.id = t.key_id',
    where: 'k.user_id = $1',
    key: ['key_id', 'network'],
    withheld: { network: 'A keyed hash, from which the network cannot be read.' },
  },
  {
    name: 'key_notices',
    model: 'KeyNotice',
    join: 'JOIN user_key k ON k.id = t.key_id',
    where: 'k.user_id = $1',
    key: ['key_id', 'kind', 'day'],
  },
  { name: 'wallet', model: 'Wallet', key: ['user_id'], isSingle: true },
  { name: 'limits', model: 'SpendingLimit', withApp: true, key: ['partner_id'] },
  { name: 'budgets', model: 'Budget', key: ['id'] },
  {
    name: 'holds',
    model: 'Hold',
    key: ['request_id'],
    withheld: { epoch: 'That of the allowance.', kept: WORK, limited: WORK },
  },
  {
    name: 'transactions',
    model: 'LedgerTransaction',
    // What a partner loses by a dispute leaves the user's credits as they are.
    where: "t.user_id = $1 AND t.kind <> 'earnings_reversal'",
    keyPrefix: ['ledger_slot(t.created_at)'],
    key: ['created_at', 'id'],
    byPocket: true,
    withheld: {
      note: 'The reason of an operator, for the audit log.',
      postings: 'The accounts of the books; the other columns have the totals.',
    },
  },
  {
    name: 'corrections',
    model: 'Correction',
    // Proposals may still be discarded.
    where: 't.user_id = $1 AND t.booked_at IS NOT NULL',
    key: ['batch_id', 'transaction_id'],
  },
  { name: 'unanswered_requests', model: 'UnansweredRequest', key: ['request_id'] },
  { name: 'usage_by_day', model: 'UsageDay', key: ['day', 'partner_id', 'model'] },
  {
    name: 'archived_months',
    model: 'ArchivedMonth',
    key: ['partner_id', 'month'],
    withheld: { earned: 'What the app earned.' },
  },
  {
    name: 'statements',
    model: 'DailyStatement',
    key: ['scope', 'day'],
    withheld: { leaves: 'The hashes of the entries, in the file of the day.' },
  },
  {
    name: 'payments',
    model: 'CheckoutSession',
    withApp: true,
    key: ['id'],
    withheld: {
      visit_id: 'A checkout window, which is listed under checkout_visits.',
      key_id: 'The user key that began it.',
      checkout_mode: 'How the form was shown.',
      return_url: 'A page of the app.',
      expires_at: WORK,
    },
  },
  {
    name: 'payment_attempts',
    model: 'PaymentAttempt',
    key: ['id'],
    withheld: { id: AT_PROCESSOR, card: 'A keyed hash, from which the card cannot be read.' },
  },
  { name: 'traces', model: 'AccountTrace', key: ['kind', 'hash'] },
  { name: 'purchases', model: 'Purchase', withApp: true, key: ['id'], withheld: { reversals_read: WORK } },
  {
    name: 'invoices',
    model: 'Invoice',
    join: 'JOIN purchase b ON b.id = t.purchase_id',
    where: 'b.user_id = $1 AND t.user_id = $1',
    key: ['number'],
    withheld: { series: 'The start of the number.', serial: 'The end of the number.' },
  },
  { name: 'billing_details', model: 'BillingDetails', key: ['user_id'], isSingle: true },
  { name: 'payment_customer', model: 'PaymentCustomer', key: ['user_id'], isSingle: true },
  {
    name: 'auto_top_up',
    model: 'AutoTopUp',
    key: ['user_id'],
    isSingle: true,
    withheld: { authorization_id: AT_PROCESSOR, session_id: WORK, confirm_until: WORK },
  },
  { name: 'auto_top_up_consents', model: 'AutoTopUpConsent', key: ['id'] },
  { name: 'promotions', model: 'PromotionRedemption', key: ['id'] },
  {
    name: 'checkout_visits',
    model: 'CheckoutVisit',
    withApp: true,
    key: ['id'],
    withheld: {
      challenge: HASH,
      session_id: 'The device on which it was opened.',
      key_id: 'The user key that it was opened with.',
    },
  },
  {
    name: 'low_balance_mail',
    model: 'LowBalanceMail',
    key: ['user_id'],
    isSingle: true,
    withheld: { is_armed: WORK },
  },
  {
    name: 'warning_choice',
    model: 'WarningChoice',
    key: ['user_id'],
    isSingle: true,
    withheld: { weekly_at: WORK },
  },
  { name: 'warnings', model: 'WarningMail', key: ['cause'] },
  {
    name: 'kept_responses',
    model: 'KeptResponse',
    join: 'LEFT JOIN kept_thread h ON h.no = t.thread_no',
    also: ['coalesce(h.expires_at, t.expires_at) AS kept_until'],
    key: ['no'],
    withheld: {
      input: CONTENT,
      response: CONTENT,
      no: PLACE,
      thread_no: PLACE,
      parent_no: PLACE,
      expires_at: 'That of the conversation counts, which is in the file.',
    },
  },
  {
    name: 'videos',
    model: 'VideoJob',
    key: ['id'],
    withheld: {
      url: CONTENT,
      upstream_id: 'Names the job at the provider, under the account of the operator.',
      next_look_at: WORK,
      most_cost: 'The hold of the request, before commission.',
      rate_bp: 'On the receipt of the request.',
      error_code: 'The message next to it says the same in words.',
    },
  },
  {
    name: 'batches',
    model: 'BatchJob',
    key: ['id'],
    withheld: {
      lines: CONTENT,
      metadata: CONTENT,
      upload_id: 'Names the lines at the provider, under the account of the operator.',
      upstream_id: 'Names the batch at the provider, under the account of the operator.',
      output_id: 'Names the results at the provider, under the account of the operator.',
      error_id: 'Names the results at the provider, under the account of the operator.',
      next_look_at: WORK,
      most_cost: 'The hold of the request, before commission.',
      rate_bp: 'On the receipt of the request.',
    },
  },
  { name: 'files', model: 'BatchFile', key: ['id'], withheld: { name: CONTENT } },
  {
    name: 'idempotent_requests',
    model: 'IdempotentRequest',
    key: ['partner_id', 'key'],
    withheld: { claimed_until: WORK, hold_id: WORK, response: CONTENT },
  },
  {
    name: 'teams',
    model: 'TeamMember',
    join: 'JOIN team m ON m.id = t.team_id',
    also: ['m.name AS team'],
    where: 't.email = $1',
    by: 'email',
    key: ['team_id'],
    withheld: { email: 'That of the account.' },
  },
  {
    name: 'team_invitations',
    model: 'TeamInvitation',
    join: 'JOIN team m ON m.id = t.team_id',
    also: ['m.name AS team'],
    where: 't.email = $1',
    by: 'email',
    key: ['id'],
    withheld: { email: 'That of the account.', invited_by: 'Someone else.' },
  },
];

export const SECTIONS: readonly Section[] = SELECTIONS.map(toSection);

function toSection(selection: Selection): Section {
  const { model, withApp = false, join = '', also = [] } = selection;
  return {
    ...selection,
    table: toColumn(model).slice(1),
    columns: Object.keys(Prisma[`${model}ScalarFieldEnum`])
      .map(toColumn)
      .filter((column) => !isWithheld(column, selection)),
    join: withApp ? 'LEFT JOIN partner p ON p.id = t.partner_id' : join,
    also: withApp ? ['p.name AS app', ...also] : also,
  };
}

function isWithheld(column: string, { withheld = {} }: Selection): boolean {
  return column in withheld || WITHHELD_NAMES.some(([name]) => name.test(column));
}

/** The schema writes `cacheWrite1hTokens` for `cache_write_1h_tokens`. */
function toColumn(field: string): string {
  return field.replace(/[A-Z]|\d{1,9}(?=[a-z])/g, (part) => `_${part.toLowerCase()}`);
}

/** Tables with something about a person that the export leaves out, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  sign_in_token: 'Works for a minute and is stored as a hash; what it created is among the keys and devices.',
  idempotency_key: 'Responses to an app, kept for a day so that it can repeat a request.',
  kept_thread: 'Says until when kept responses are kept, which is with each of them.',
  audited_pocket: 'A sum of the transactions, for the audit.',
  activity_app_user: 'A sum of the transactions, for the app.',
  payout_account: 'Belongs to a team.',
  payout: 'Belongs to a team.',
  partner: 'Belongs to a team, or to the operator.',
  partner_origin: 'Belongs to an app.',
  partner_redirect: 'Belongs to an app.',
  partner_limit: 'Belongs to an app. The user reads it on the page of the app.',
  correction_batch: 'Names the operator who decided. Its reason is on the receipts.',
  provider_loss: 'What calls cost the operator that nobody was charged for.',
  payment_alert:
    'What an operator has to review, such as a dispute; what came of it is among the transactions.',
  refusal_hour: 'Counts of an app. The id of a request in it leads to no person.',
  audit_entry:
    'Those of operators name operators, and what they changed is among the transactions. Those of a team are read by its members there: they name other people.',
  event: 'Messages to an app, encrypted.',
};
