/**
 * What the export of an account contains, table by table. A test compares it with schema.prisma: each column of these
 * tables is exported or withheld for a reason, and each other table with something about a person is left out for one.
 */

export type Section = {
  /** Its name in the file. */
  name: string;
  table: string;
  /** The columns as they are called in the file. */
  columns: readonly string[];
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
  withheld?: Readonly<Record<string, string>>;
};

const ACCOUNT_ID = 'The account id is used nowhere outside the service.';
const AT_PROCESSOR = 'An id at the payment processor, which means nothing elsewhere.';
const HASH = 'A hash of a secret.';
const CONTENT = 'The content belongs to the app, which can read it until it expires.';
const WORK = 'Says when a job works on it next.';
const PLACE = 'The place in a conversation whose content belongs to the app.';
const OURS = { user_id: ACCOUNT_ID };

/** The name of the app next to its id. */
const WITH_APP = { join: 'LEFT JOIN partner p ON p.id = t.partner_id', also: ['p.name AS app'] };

export const SECTIONS: readonly Section[] = [
  {
    name: 'account',
    table: 'user',
    columns: ['email', 'created_at', 'warned_at', 'purchases_blocked_at'],
    where: 't.id = $1',
    key: ['id'],
    isSingle: true,
    withheld: {
      id: ACCOUNT_ID,
      deleted_at: 'Null while the account exists.',
      mailbox_hash: 'A keyed hash of the e-mail address, which is in the file.',
    },
  },
  {
    name: 'devices',
    table: 'session',
    columns: [
      ...['id', 'user_agent', 'created_at', 'last_seen_at', 'confirmed_at', 'confirmed_by', 'expires_at'],
      'revoked_at',
    ],
    key: ['id'],
    withheld: { ...OURS, token_hash: HASH },
  },
  {
    name: 'passkeys',
    table: 'passkey',
    columns: ['id', 'name', 'transports', 'created_at', 'last_used_at'],
    key: ['id'],
    withheld: {
      ...OURS,
      credential_id: 'Names the key pair on the device.',
      user_handle: 'Names the user on the device.',
      public_key: 'Verifies signatures, and means nothing elsewhere.',
      counter: 'Detects copies of the key pair.',
    },
  },
  {
    name: 'sign_in_codes',
    table: 'login_challenge',
    columns: ['id', 'partner_id', 'origin', 'attempts', 'created_at', 'expires_at', 'consumed_at'],
    ...WITH_APP,
    also: [
      ...WITH_APP.also,
      'CASE WHEN t.consumed_at IS NOT NULL THEN t.client_network END AS client_network',
    ],
    where: 't.email = $1',
    by: 'email',
    key: ['id'],
    withheld: {
      email: 'That of the account.',
      mailbox: 'The e-mail address without its tag.',
      code_hash: HASH,
      visit_id: 'A checkout window, which is listed under checkout_visits.',
      client_network: 'Of a code that was not used, it may be that of someone else.',
      client_site: 'The network in a coarser form.',
      known_browser: 'The id of a browser, as secret as its cookie.',
    },
  },
  {
    name: 'device_authorizations',
    table: 'device_authorization',
    columns: ['partner_id', 'client_network', 'created_at', 'expires_at', 'answered_at', 'used_at'].concat(
      'session_id',
      'minted_key_id',
    ),
    ...WITH_APP,
    key: ['device_code_hash'],
    withheld: {
      ...OURS,
      device_code_hash: HASH,
      user_code_hash: HASH,
      interval_seconds: WORK,
      polled_at: WORK,
    },
  },
  {
    name: 'apps',
    table: 'user_app',
    columns: [
      ...['partner_id', 'app_user_id', 'metadata', 'own', 'own_granted', 'own_held', 'allowance_left'],
      ...['allowance_saved', 'allowance_paused', 'spent_on', 'day_spent', 'month_spent', 'created_at'],
    ],
    ...WITH_APP,
    key: ['partner_id'],
    withheld: { ...OURS, epoch: 'Counts how often the allowance was saved.' },
  },
  {
    name: 'keys',
    table: 'user_key',
    columns: [
      ...['id', 'partner_id', 'session_id', 'last4', 'created_at', 'last_used_at', 'origins', 'networks'],
      ...['revoked_at', 'revoke_reason'],
    ],
    ...WITH_APP,
    key: ['id'],
    withheld: { ...OURS, hash: HASH, exact_use: WORK },
  },
  {
    name: 'key_networks',
    table: 'key_network',
    columns: ['key_id', 'first_seen_at', 'last_seen_at'],
    join: 'JOIN user_key k ON k.id = t.key_id',
    where: 'k.user_id = $1',
    key: ['key_id', 'network'],
    withheld: { network: 'A keyed hash, from which the network cannot be read.' },
  },
  {
    name: 'key_notices',
    table: 'key_notice',
    columns: ['key_id', 'kind', 'day', 'created_at'],
    join: 'JOIN user_key k ON k.id = t.key_id',
    where: 'k.user_id = $1',
    key: ['key_id', 'kind', 'day'],
    withheld: { detail: 'The text of a mail that is not sent yet.', due_at: WORK, attempts: WORK },
  },
  {
    name: 'wallet',
    table: 'wallet',
    columns: ['money', 'held', 'running', 'overrun', 'overrun_since', 'paused_at', 'limits_zone'],
    key: ['user_id'],
    isSingle: true,
    withheld: OURS,
  },
  {
    name: 'limits',
    table: 'spending_limit',
    columns: [
      ...[
        'partner_id',
        'per_request',
        'per_day',
        'per_week',
        'per_month',
        'model_rule',
        'models',
        'stopped_at',
      ],
      ...['day_spent', 'day_starts', 'day_ends', 'week_spent', 'week_starts', 'week_ends'],
      ...['month_spent', 'month_starts', 'month_ends'],
    ],
    ...WITH_APP,
    key: ['partner_id'],
    withheld: OURS,
  },
  {
    name: 'holds',
    table: 'hold',
    columns: ['request_id', 'partner_id', 'key_id', 'amount', 'own_part', 'rate_bp', 'created_at'],
    key: ['request_id'],
    withheld: {
      ...OURS,
      epoch: 'That of the allowance.',
      lease_until: WORK,
      kept: WORK,
      limited: WORK,
      ...Object.fromEntries(
        ['request', 'held', 'cost', 'charge', 'receipt'].map((what) => [
          `metered_${what}`,
          'What a request that still runs has cost so far.',
        ]),
      ),
    },
  },
  {
    name: 'transactions',
    table: 'ledger_transaction',
    columns: [
      ...['id', 'partner_id', 'kind', 'created_at', 'credits', 'balance_after', 'credits_added'],
      ...['allowance_saved', 'allowance_spent', 'cause_id', 'related_id', 'key_id', 'model', 'provider'],
      ...[
        'price_version',
        'input_tokens',
        'cache_read_tokens',
        'cache_write_tokens',
        'cache_write_1h_tokens',
      ],
      ...[
        'output_tokens',
        'reasoning_tokens',
        'web_searches',
        'held',
        'provider_cost',
        'partner_share',
        'rate_bp',
      ],
      ...['estimated', 'cost_reported', 'outcome', 'attempts'],
    ],
    // What a partner loses by a dispute leaves the user's credits as they are.
    where: "t.user_id = $1 AND t.kind <> 'earnings_reversal'",
    keyPrefix: ['ledger_slot(t.created_at)'],
    key: ['created_at', 'id'],
    byPocket: true,
    withheld: {
      ...OURS,
      note: 'The reason of an operator, for the audit log.',
      postings: 'The accounts of the books; the other columns have the totals.',
    },
  },
  {
    name: 'corrections',
    table: 'correction',
    columns: [
      ...['batch_id', 'transaction_id', 'partner_id', 'charged', 'due', 'due_cost', 'credits', 'cost'],
      'booked_at',
    ],
    // Proposals may still be discarded.
    where: 't.user_id = $1 AND t.booked_at IS NOT NULL',
    key: ['batch_id', 'transaction_id'],
    withheld: OURS,
  },
  {
    name: 'unanswered_requests',
    table: 'unanswered_request',
    columns: ['request_id', 'partner_id', 'model', 'attempts', 'at'],
    key: ['request_id'],
    withheld: OURS,
  },
  {
    name: 'usage_by_day',
    table: 'usage_day',
    columns: ['day', 'partner_id', 'model', 'requests', 'tokens', 'charge'],
    key: ['day', 'partner_id', 'model'],
    withheld: OURS,
  },
  {
    name: 'archived_months',
    table: 'archived_month',
    columns: ['partner_id', 'month', 'requests', 'tokens', 'charge', 'allowance_spent', 'moved', 'granted'],
    key: ['partner_id', 'month'],
    withheld: { ...OURS, earned: 'What the app earned.' },
  },
  {
    name: 'statements',
    table: 'daily_statement',
    columns: ['scope', 'day', 'closing', 'signed'],
    key: ['scope', 'day'],
    withheld: { ...OURS, leaves: 'The hashes of the entries, in the file of the day.' },
  },
  {
    name: 'payments',
    table: 'checkout_session',
    columns: [
      ...['id', 'partner_id', 'status', 'currency', 'amount_minor', 'rate', 'credits', 'method', 'language'],
      ...['failure', 'created_at', 'completed_at'],
    ],
    ...WITH_APP,
    key: ['id'],
    withheld: {
      ...OURS,
      visit_id: 'A checkout window, which is listed under checkout_visits.',
      key_id: 'The user key that began it.',
      checkout_mode: 'How the form was shown.',
      return_url: 'A page of the app.',
      processor_session_id: AT_PROCESSOR,
      processor_payment_id: AT_PROCESSOR,
      expires_at: WORK,
    },
  },
  {
    name: 'payment_attempts',
    table: 'payment_attempt',
    columns: ['is_declined', 'at'],
    key: ['id'],
    withheld: { ...OURS, id: AT_PROCESSOR, card: 'A keyed hash, from which the card cannot be read.' },
  },
  {
    name: 'traces',
    table: 'account_trace',
    columns: ['kind', 'seen_at'],
    key: ['kind', 'hash'],
    withheld: { ...OURS, hash: 'A keyed hash, from which neither card, browser nor network can be read.' },
  },
  {
    name: 'purchases',
    table: 'purchase',
    columns: [
      ...['id', 'partner_id', 'session_id', 'currency', 'amount_minor', 'tax_minor', 'tax_percent'],
      ...[
        'is_reverse_charge',
        'invoiced_by_processor',
        'rate',
        'credits',
        'refunded_minor',
        'disputed_minor',
      ],
      'created_at',
    ],
    ...WITH_APP,
    key: ['id'],
    withheld: {
      ...OURS,
      processor_payment_id: AT_PROCESSOR,
      reversals_read: WORK,
      receipt_due_at: WORK,
      receipt_attempts: WORK,
    },
  },
  {
    name: 'invoices',
    table: 'invoice',
    columns: ['number', 'kind', 'purchase_id', 'amount_minor', 'tax_minor', 'document', 'issued_at'],
    join: 'JOIN purchase b ON b.id = t.purchase_id',
    where: 'b.user_id = $1 AND t.user_id = $1',
    key: ['number'],
    withheld: { ...OURS, series: 'The start of the number.', serial: 'The end of the number.' },
  },
  {
    name: 'billing_details',
    table: 'billing_details',
    columns: ['name', 'address', 'country', 'tax_id', 'reference', 'updated_at'],
    key: ['user_id'],
    isSingle: true,
    withheld: OURS,
  },
  {
    name: 'payment_customer',
    table: 'payment_customer',
    columns: ['created_at', 'charged_unconfirmed_at'],
    key: ['user_id'],
    isSingle: true,
    withheld: {
      ...OURS,
      creation_key: AT_PROCESSOR,
      processor_customer_id: AT_PROCESSOR,
      deletion_due_at: WORK,
    },
  },
  {
    name: 'auto_top_up',
    table: 'auto_top_up',
    columns: [
      ...['state', 'threshold', 'currency', 'amount_minor', 'ceiling_minor', 'card_brand', 'card_last4'],
      ...['consent_id', 'off_reason', 'started_at', 'month', 'month_minor', 'updated_at'],
    ],
    key: ['user_id'],
    isSingle: true,
    withheld: {
      ...OURS,
      card_id: AT_PROCESSOR,
      authorization_id: AT_PROCESSOR,
      session_id: WORK,
      lease_until: WORK,
      confirm_until: WORK,
      mail: WORK,
      mail_due_at: WORK,
      mail_attempts: WORK,
    },
  },
  {
    name: 'auto_top_up_consents',
    table: 'auto_top_up_consent',
    columns: [
      ...[
        'id',
        'session_id',
        'text_version',
        'text',
        'threshold',
        'currency',
        'amount_minor',
        'ceiling_minor',
      ],
      'agreed_at',
    ],
    key: ['id'],
    withheld: { ...OURS, card_id: AT_PROCESSOR },
  },
  {
    name: 'promotions',
    table: 'promotion_redemption',
    columns: ['id', 'promotion_id', 'partner_id', 'credits', 'created_at', 'booked_at'],
    key: ['id'],
    withheld: OURS,
  },
  {
    name: 'checkout_visits',
    table: 'checkout_visit',
    columns: ['id', 'partner_id', 'origin', 'display', 'currency', 'metadata', 'created_at', 'expires_at'],
    ...WITH_APP,
    key: ['id'],
    withheld: {
      ...OURS,
      challenge: HASH,
      token_hash: HASH,
      session_id: 'The device on which it was opened.',
      key_id: 'The user key that it was opened with.',
    },
  },
  {
    name: 'low_balance_mail',
    table: 'low_balance_mail',
    columns: ['threshold', 'last_at'],
    key: ['user_id'],
    isSingle: true,
    withheld: { ...OURS, is_armed: WORK, mail_due_at: WORK, mail_attempts: WORK },
  },
  {
    name: 'warning_choice',
    table: 'warning_choice',
    columns: ['limits', 'unusual', 'weekly', 'zone'],
    key: ['user_id'],
    isSingle: true,
    withheld: { ...OURS, weekly_at: WORK },
  },
  {
    name: 'warnings',
    table: 'warning_mail',
    columns: ['cause', 'kind', 'percent', 'detail', 'noted_at'],
    key: ['cause'],
    withheld: { ...OURS, due_at: WORK, attempts: WORK },
  },
  {
    name: 'kept_responses',
    table: 'kept_response',
    columns: ['id', 'partner_id', 'item_ids'],
    join: 'LEFT JOIN kept_thread h ON h.no = t.thread_no',
    also: ['coalesce(h.expires_at, t.expires_at) AS kept_until'],
    key: ['no'],
    withheld: {
      ...OURS,
      input: CONTENT,
      response: CONTENT,
      no: PLACE,
      thread_no: PLACE,
      parent_no: PLACE,
      input_hash: HASH,
      expires_at: 'That of the conversation counts, which is in the file.',
    },
  },
  {
    name: 'idempotent_requests',
    table: 'idempotent_request',
    columns: ['partner_id', 'key', 'request_id', 'ended', 'created_at'],
    key: ['partner_id', 'key'],
    withheld: { ...OURS, request_hash: HASH, claimed_until: WORK, hold_id: WORK, response: CONTENT },
  },
  {
    name: 'teams',
    table: 'team_member',
    columns: ['team_id', 'role', 'alerts', 'added_at'],
    join: 'JOIN team m ON m.id = t.team_id',
    also: ['m.name AS team'],
    where: 't.email = $1',
    by: 'email',
    key: ['team_id'],
    withheld: { email: 'That of the account.' },
  },
  {
    name: 'team_invitations',
    table: 'team_invitation',
    columns: ['id', 'team_id', 'role', 'created_at', 'expires_at', 'state'],
    join: 'JOIN team m ON m.id = t.team_id',
    also: ['m.name AS team'],
    where: 't.email = $1',
    by: 'email',
    key: ['id'],
    withheld: {
      email: 'That of the account.',
      invited_by: 'Someone else.',
      mail_due_at: WORK,
      mail_attempts: WORK,
    },
  },
];

/** Tables with something about a person that the export leaves out, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  sign_in_token: 'Works for a minute and is stored as a hash; what it created is among the keys and devices.',
  idempotency_key: 'Responses to an app, kept for a day so that it can repeat a request.',
  kept_thread: 'Says until when kept responses are kept, which is with each of them.',
  audited_pocket: 'A sum of the transactions, for the audit.',
  activity_app_user: 'A sum of the transactions, for the app.',
  team_action: 'The audit log of a team, which its members read there: it names other people.',
  payout_account: 'Belongs to a team.',
  payout: 'Belongs to a team.',
  payout_mail: 'A mail to a member of a team that is not sent yet.',
  partner: 'Belongs to a team, or to the operator.',
  partner_origin: 'Belongs to an app.',
  partner_redirect: 'Belongs to an app.',
  partner_limit: 'Belongs to an app. The user reads it on the page of the app.',
  correction_batch: 'Names the operator who decided. Its reason is on the receipts.',
  correction_mail: 'A mail that is not sent yet; the corrections are in the file.',
  provider_loss: 'What calls cost the operator that nobody was charged for.',
  payment_alert:
    'What an operator has to review, such as a dispute; what came of it is among the transactions.',
  refusal_hour: 'Counts of an app. The id of a request in it leads to no person.',
  operator_action:
    'The audit log of the operator, which names operators. What they changed is among the transactions.',
  event: 'Messages to an app, encrypted.',
};
