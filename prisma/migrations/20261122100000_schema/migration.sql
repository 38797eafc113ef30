-- The tables with their constraints, indexes and settings. prisma/schema.prisma explains the columns.
-- Functions, views and triggers follow in the next migration.

-- ── People and devices ───────────────────────────────────────────────────────────────────────────

CREATE TABLE "user" (
  id text PRIMARY KEY,
  email text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at timestamptz(3),
  warned_at timestamptz(3),
  mailbox_hash bytea,
  purchases_blocked_at timestamptz(3),
  time_zone text
);
CREATE UNIQUE INDEX user_email_key ON "user" (email);
CREATE INDEX user_mailbox_hash_idx ON "user" (mailbox_hash);
CREATE INDEX user_created_at_id_idx ON "user" (created_at DESC, id);
CREATE INDEX user_purchases_blocked ON "user" (purchases_blocked_at) WHERE purchases_blocked_at IS NOT NULL;

CREATE TABLE email_change (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  old_email text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  undo_until timestamptz(3) NOT NULL
);
CREATE INDEX email_change_user_id_idx ON email_change (user_id);
CREATE INDEX email_change_old_email_idx ON email_change (old_email);
CREATE INDEX email_change_undo_until_idx ON email_change (undo_until);

CREATE TABLE account_trace (
  kind text NOT NULL,
  hash bytea NOT NULL,
  user_id text NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (kind, hash, user_id),
  CONSTRAINT account_trace_kind_known CHECK (kind IN ('card', 'network', 'browser'))
);
CREATE INDEX account_trace_user_id_idx ON account_trace (user_id);
CREATE INDEX account_trace_seen_at_idx ON account_trace (seen_at);

CREATE TABLE session (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES "user" ON UPDATE CASCADE ON DELETE RESTRICT,
  token_hash bytea NOT NULL,
  user_agent text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  confirmed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  confirmed_by text NOT NULL DEFAULT 'code',
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  CONSTRAINT session_confirmed_by_known CHECK (confirmed_by IN ('code', 'passkey'))
);
CREATE UNIQUE INDEX session_token_hash_key ON session (token_hash);
CREATE INDEX session_user_id_idx ON session (user_id);

CREATE TABLE login_challenge (
  id text PRIMARY KEY,
  email text NOT NULL,
  mailbox text NOT NULL,
  code_hash bytea NOT NULL,
  partner_id text,
  visit_id text,
  origin text,
  client_network text NOT NULL DEFAULT '',
  client_site text NOT NULL DEFAULT '',
  known_browser text NOT NULL DEFAULT '',
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3)
);
CREATE INDEX login_challenge_mailbox_created_at_idx ON login_challenge (mailbox, created_at);
CREATE INDEX login_challenge_client_site_created_at_idx ON login_challenge (client_site, created_at);
CREATE INDEX login_challenge_partner_id_created_at_idx ON login_challenge (partner_id, created_at);
CREATE INDEX login_challenge_created_at_idx ON login_challenge (created_at);

CREATE TABLE passkey (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES "user" ON UPDATE CASCADE ON DELETE RESTRICT,
  credential_id text NOT NULL,
  user_handle text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[],
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at timestamptz(3)
);
CREATE UNIQUE INDEX passkey_credential_id_key ON passkey (credential_id);
CREATE INDEX passkey_user_id_idx ON passkey (user_id);

CREATE TABLE used_passkey_challenge (
  challenge text PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX used_passkey_challenge_expires_at_idx ON used_passkey_challenge (expires_at);

CREATE TABLE sign_in_token (
  token_hash bytea PRIMARY KEY,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  session_id text NOT NULL,
  origin text NOT NULL,
  redirect_uri text,
  challenge text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  minted_key_id text
);
CREATE INDEX sign_in_token_expires_at_idx ON sign_in_token (expires_at);

CREATE TABLE device_authorization (
  device_code_hash bytea PRIMARY KEY,
  user_code_hash bytea NOT NULL UNIQUE,
  partner_id text NOT NULL,
  client_network text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  interval_seconds integer NOT NULL,
  polled_at timestamptz(3),
  answered_at timestamptz(3),
  user_id text,
  session_id text,
  used_at timestamptz(3),
  minted_key_id text,
  CHECK (user_id IS NULL OR answered_at IS NOT NULL)
);
CREATE INDEX device_authorization_expires_at_idx ON device_authorization (expires_at);

-- ── Partners and their users ─────────────────────────────────────────────────────────────────────

CREATE TABLE team (
  id text PRIMARY KEY,
  name text NOT NULL,
  payout_minimum bigint CHECK (payout_minimum >= 0),
  payout_reserve bigint NOT NULL DEFAULT 0 CHECK (payout_reserve >= 0),
  payouts_held_at timestamptz(3),
  payouts_held_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE team_member (
  team_id text NOT NULL REFERENCES team ON UPDATE CASCADE ON DELETE RESTRICT,
  email text NOT NULL,
  role text NOT NULL,
  alerts boolean NOT NULL DEFAULT false,
  added_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT team_member_pkey PRIMARY KEY (team_id, email),
  CONSTRAINT team_member_role_known CHECK (role IN ('owner', 'developer', 'finance', 'viewer'))
);
CREATE INDEX team_member_email_idx ON team_member (email);
CREATE UNIQUE INDEX team_member_one_owner ON team_member (team_id) WHERE role = 'owner';

CREATE TABLE team_invitation (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES team ON UPDATE CASCADE ON DELETE RESTRICT,
  email text NOT NULL,
  role text NOT NULL,
  invited_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  state text NOT NULL DEFAULT 'open',
  CONSTRAINT team_invitation_role_known CHECK (role IN ('developer', 'finance', 'viewer')),
  CONSTRAINT team_invitation_state_known CHECK (state IN ('open', 'accepted', 'withdrawn'))
);
CREATE UNIQUE INDEX team_invitation_team_id_email_key ON team_invitation (team_id, email);

CREATE TABLE partner (
  id text PRIMARY KEY,
  name text NOT NULL,
  name_skeleton text,
  name_approved_at timestamptz(3),
  pending_name text,
  approval_asked_at timestamptz(3),
  publishable_key text NOT NULL,
  rate_bp integer NOT NULL DEFAULT 0,
  allowed_models text[],
  all_models boolean NOT NULL DEFAULT true,
  limits_users boolean NOT NULL DEFAULT false,
  rate_cap_bp integer NOT NULL DEFAULT 10000,
  earnings_hold_days integer,
  review text NOT NULL DEFAULT 'approved',
  disabled_at timestamptz(3),
  closed text,
  overrun bigint NOT NULL DEFAULT 0,
  overrun_since timestamptz(6),
  paused_at timestamptz(6),
  webhook_url text,
  webhook_secret bytea,
  webhook_next_secret bytea,
  webhook_failing_since timestamptz(3),
  key_networks inet[],
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  team_id text REFERENCES team ON UPDATE CASCADE ON DELETE RESTRICT,
  webhook_by text,
  key_by text,
  CONSTRAINT partner_rate_within_bounds CHECK (rate_bp BETWEEN 0 AND 10000),
  CONSTRAINT partner_rate_below_cap CHECK (rate_bp <= rate_cap_bp AND rate_cap_bp <= 10000),
  CONSTRAINT partner_earnings_hold CHECK (earnings_hold_days BETWEEN 0 AND 3650),
  CONSTRAINT partner_review_known CHECK (review IN ('pending', 'approved', 'declined')),
  -- An app that is not approved cannot spend: the ledger looks at disabled_at alone.
  CONSTRAINT partner_enabled_when_approved CHECK (review = 'approved' OR disabled_at IS NOT NULL),
  CONSTRAINT partner_closed_is_disabled CHECK (closed IS NULL OR closed IN ('paused', 'deleted') AND disabled_at IS NOT NULL)
);
CREATE UNIQUE INDEX partner_name_skeleton_key ON partner (name_skeleton);
CREATE UNIQUE INDEX partner_publishable_key_key ON partner (publishable_key);

CREATE INDEX partner_team_id_idx ON partner (team_id);
CREATE INDEX partner_webhook_failing ON partner (webhook_failing_since) WHERE webhook_failing_since IS NOT NULL;

CREATE TABLE partner_profile (
  partner_id text NOT NULL REFERENCES partner ON UPDATE CASCADE ON DELETE RESTRICT,
  is_pending boolean NOT NULL,
  site text,
  support text,
  logo bytea,
  logo_type text,
  hash text NOT NULL,
  PRIMARY KEY (partner_id, is_pending),
  CONSTRAINT partner_profile_logo CHECK (octet_length(logo) <= 65536 AND logo_type IN ('image/png', 'image/jpeg', 'image/webp')
    OR logo IS NULL AND logo_type IS NULL)
);
CREATE INDEX partner_profile_hash_idx ON partner_profile (hash);

CREATE TABLE partner_rate (
  id serial PRIMARY KEY,
  partner_id text NOT NULL REFERENCES partner ON UPDATE CASCADE ON DELETE RESTRICT,
  rate_bp integer NOT NULL,
  effective_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  applied_at timestamptz(3)
);
CREATE INDEX partner_rate_partner_id_effective_at_idx ON partner_rate (partner_id, effective_at);
-- At most one scheduled change per partner.
CREATE UNIQUE INDEX partner_rate_waiting ON partner_rate (partner_id) WHERE applied_at IS NULL;

CREATE TABLE partner_limit (
  partner_id text NOT NULL,
  app_user_id text NOT NULL,
  ceiling boolean NOT NULL DEFAULT false,
  per_request bigint,
  per_day bigint,
  per_month bigint,
  model_rule text,
  models text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (partner_id, app_user_id, ceiling),
  CONSTRAINT partner_limit_positive CHECK (least(per_request, per_day, per_month) > 0),
  -- The default for all apps, an app's ceiling, its own limits, and those for one of its users.
  CONSTRAINT partner_limit_kind CHECK (CASE WHEN partner_id = '' OR ceiling
    THEN app_user_id = '' AND ceiling = (partner_id <> '') ELSE true END)
);

CREATE TABLE retired_publishable_key (
  publishable_key text PRIMARY KEY,
  partner_id text NOT NULL,
  works_until timestamptz(3) NOT NULL
);

CREATE TABLE partner_origin (
  partner_id text NOT NULL REFERENCES partner ON UPDATE CASCADE ON DELETE RESTRICT,
  origin text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  opened_at timestamptz(3),
  created_by text,
  PRIMARY KEY (partner_id, origin)
);

CREATE TABLE partner_redirect (
  partner_id text NOT NULL REFERENCES partner ON UPDATE CASCADE ON DELETE RESTRICT,
  uri text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by text,
  PRIMARY KEY (partner_id, uri)
);

CREATE TABLE user_key (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  session_id text,
  hash bytea NOT NULL,
  last4 text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at timestamptz(3),
  exact_use boolean NOT NULL DEFAULT false,
  origins text[],
  networks inet[],
  lineage text[] NOT NULL DEFAULT '{}',
  label text,
  models text[],
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  revoke_reason text
);
CREATE UNIQUE INDEX user_key_hash_key ON user_key (hash);
CREATE INDEX user_key_user_id_partner_id_idx ON user_key (user_id, partner_id);
CREATE INDEX user_key_session_id_idx ON user_key (session_id);
CREATE INDEX user_key_run_keys ON user_key (expires_at) WHERE lineage <> '{}';

CREATE TABLE key_network (
  key_id text NOT NULL,
  network bytea NOT NULL,
  first_seen_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (key_id, network)
);
CREATE INDEX key_network_network_idx ON key_network (network);

CREATE TABLE key_notice (
  key_id text NOT NULL,
  kind text NOT NULL,
  day date NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (key_id, kind, day)
);

-- ── The ledger: written only by the functions in server/ledger/sql ───────────────────────────────

-- The sum of a transaction's postings. It is not in server/ledger/sql because a CHECK uses it: rows are not
-- checked again when it changes, so it must not. A loop, because a query in here would be parsed for every
-- row that is checked.
CREATE FUNCTION ledger_sum(postings jsonb) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  total bigint := 0;
BEGIN
  FOR i IN 0 .. jsonb_array_length(postings) - 1 LOOP
    total := total + (postings -> i ->> 'amount')::bigint;
  END LOOP;
  RETURN total;
END $$;

-- The ten minutes in which a transaction was booked. It is not in server/ledger/sql because an index uses it: entries do
-- not move when it changes, so it must not.
CREATE FUNCTION ledger_slot(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_bin('10 minutes', at, '2000-01-01 00:00:00+00')
$$;

-- Every statement that writes a table parses its CHECKs again: account and user_app have a single short one.
-- Null is never the least.
CREATE TABLE wallet (
  user_id text PRIMARY KEY,
  money bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  running integer NOT NULL DEFAULT 0,
  overrun bigint NOT NULL DEFAULT 0,
  overrun_since timestamptz(6),
  paused_at timestamptz(6),
  limits_zone text,
  CONSTRAINT account_not_negative CHECK (least(held, running) >= 0)
);
-- Every request updates balances in place: leave room on their pages, and vacuum by the number of changes, not by
-- the size of the table. Dead rows on these pages cost every request.
ALTER TABLE wallet SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX wallet_paused ON wallet (paused_at) WHERE paused_at IS NOT NULL;

CREATE TABLE spending_limit (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  per_request bigint,
  per_day bigint,
  per_week bigint,
  per_month bigint,
  model_rule text,
  models text[] NOT NULL DEFAULT '{}',
  stopped_at timestamptz(6),
  day_spent bigint NOT NULL DEFAULT 0,
  day_starts timestamptz(6) NOT NULL,
  day_ends timestamptz(6) NOT NULL,
  week_spent bigint NOT NULL DEFAULT 0,
  week_starts timestamptz(6) NOT NULL,
  week_ends timestamptz(6) NOT NULL,
  month_spent bigint NOT NULL DEFAULT 0,
  month_starts timestamptz(6) NOT NULL,
  month_ends timestamptz(6) NOT NULL,
  PRIMARY KEY (user_id, partner_id),
  CONSTRAINT spending_limit_positive CHECK (least(per_request, per_day, per_week, per_month, day_spent + 1) > 0)
);
ALTER TABLE spending_limit SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX spending_limit_stopped ON spending_limit (stopped_at) WHERE stopped_at IS NOT NULL;

CREATE TABLE budget (
  user_id text NOT NULL,
  id text NOT NULL,
  partner_id text NOT NULL,
  credits bigint,
  requests integer,
  spent bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  used integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamptz(3),
  PRIMARY KEY (user_id, id),
  CONSTRAINT budget_is_not_passed CHECK (
    least(spent, held, used, credits - spent - held, requests - used) >= 0)
);
-- Each request under a budget changes it twice.
ALTER TABLE budget SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);

-- What a partner finds its users by: each value of their metadata, in lower case, after the id of the app, so that one app
-- never reads the values of another. Expensive on paper, because a search without the index reads every user.
CREATE FUNCTION user_app_terms(partner_id text, metadata jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
  SELECT array_to_tsvector(ARRAY(
    SELECT partner_id || ' ' || lower(left(value, 200) COLLATE "C") FROM jsonb_each_text(metadata) WHERE value IS NOT NULL))
$$;

CREATE TABLE user_app (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  app_user_id text,
  metadata jsonb,
  own bigint NOT NULL DEFAULT 0,
  own_granted bigint NOT NULL DEFAULT 0,
  own_held bigint NOT NULL DEFAULT 0,
  spent_on date,
  day_spent bigint NOT NULL DEFAULT 0,
  month_spent bigint NOT NULL DEFAULT 0,
  allowance_left bigint NOT NULL DEFAULT 0,
  allowance_saved bigint,
  allowance_paused bigint,
  epoch integer NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, partner_id),
  CONSTRAINT user_app_not_negative CHECK (least(own_held, allowance_left, allowance_saved, allowance_paused - 1) >= 0)
);
CREATE UNIQUE INDEX user_app_app_user_id_key ON user_app (app_user_id);
CREATE INDEX user_app_app_user_id_prefix ON user_app (app_user_id text_pattern_ops);
CREATE INDEX user_app_partner_id_created_at_user_id_idx ON user_app (partner_id, created_at DESC, user_id);
CREATE INDEX user_app_search ON user_app USING gin (user_app_terms(partner_id, metadata)) WHERE metadata IS NOT NULL;
ALTER INDEX user_app_search ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE user_app SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);

CREATE TABLE hold (
  user_id text NOT NULL,
  request_id text NOT NULL,
  partner_id text NOT NULL,
  key_id text NOT NULL,
  amount bigint NOT NULL,
  own_part bigint NOT NULL,
  epoch integer NOT NULL,
  rate_bp integer NOT NULL,
  lease_until timestamptz(3) NOT NULL,
  kept boolean NOT NULL DEFAULT false,
  limited boolean NOT NULL DEFAULT false,
  budgets text[],
  metered_request text,
  metered_held bigint,
  metered_cost bigint NOT NULL DEFAULT 0,
  metered_charge bigint NOT NULL DEFAULT 0,
  metered_receipt jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, request_id),
  CONSTRAINT hold_own_part_within_amount CHECK (own_part BETWEEN 0 AND amount),
  CONSTRAINT hold_kept_is_own CHECK (NOT kept OR own_part = amount AND metered_request IS NULL AND budgets IS NULL)
);
-- Holds come and go with every request.
ALTER TABLE hold SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

-- One row per booked fact. That of a request is also its receipt. Columns are in the order of their size, so that
-- none is padded; those that do not apply are null and take no space.
CREATE TABLE ledger_transaction (
  credits bigint NOT NULL,
  balance_after bigint NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  credits_added bigint,
  allowance_saved bigint,
  allowance_spent bigint,
  held bigint,
  provider_cost bigint,
  partner_share bigint,
  input_tokens integer,
  cache_read_tokens integer,
  cache_write_tokens integer,
  cache_write_1h_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  web_searches integer,
  rate_bp smallint,
  estimated boolean,
  cost_reported boolean,
  -- Begins with its time: the index grows at its end, where random ids would change another page for each row. Requests
  -- end in another order than they begin. At the default of 90, pages have no room for the late ones, and their splits
  -- leave them half full: 90 bytes per row. At 80, a row takes 56.
  id text PRIMARY KEY WITH (fillfactor = 80),
  user_id text NOT NULL,
  partner_id text NOT NULL,
  kind text NOT NULL,
  cause_id text,
  related_id text,
  note text,
  key_id text,
  model text,
  provider text,
  price_version text,
  outcome text,
  postings jsonb,
  attempts jsonb,
  CONSTRAINT ledger_transaction_kind_known CHECK (
    kind IN ('purchase', 'usage', 'permission', 'refund', 'adjustment', 'promotion', 'earnings_reversal', 'correction')),
  CONSTRAINT ledger_transaction_sums_to_zero CHECK (postings IS NULL OR ledger_sum(postings) = 0),
  -- A request has no cause but itself, and its postings follow from these columns. That the rest of a receipt is
  -- complete is for the audit: PostgreSQL parses a CHECK in each batch, which takes time for every column it names.
  CONSTRAINT ledger_transaction_of_request CHECK (CASE kind
    WHEN 'usage' THEN cause_id IS NULL AND num_nulls(held, provider_cost, partner_share) = 0
    ELSE cause_id IS NOT NULL AND provider_cost IS NULL AND model IS NULL END)
);
-- A user's history, by ten minutes: rows with equal keys share an index entry. With the exact time, each would take 150 bytes
-- instead of about 10.
CREATE INDEX ledger_transaction_history ON ledger_transaction (user_id, partner_id, ledger_slot(created_at));
-- Transactions arrive in the order of time: a few index pages tell where an hour lies, and an insert hardly
-- ever touches them. autosummarize, because pages without a summary are read whole. Several intervals, because pages that
-- archived receipts leave fill with new ones, next to the purchases of that time.
CREATE INDEX ledger_transaction_created ON ledger_transaction USING brin (created_at timestamptz_minmax_multi_ops) WITH (pages_per_range = 32, autosummarize = on);
-- The same cause is booked once. A request's transaction takes its id from the request, so its primary
-- key is enough.
CREATE UNIQUE INDEX ledger_transaction_cause ON ledger_transaction (user_id, kind, cause_id) WHERE kind <> 'usage';
-- Overruns, which are rare: for metrics and operators. A difference of one microcredit is rounding.
CREATE INDEX ledger_transaction_overrun ON ledger_transaction (created_at) WHERE provider_cost > -credits + 1;
-- Finds what was taken back of a purchase, by its checkout session.
CREATE INDEX ledger_transaction_related ON ledger_transaction (user_id, related_id) WHERE related_id IS NOT NULL;
-- Requests that another provider saw as well, which are rare: a user's list of providers counts them.
CREATE INDEX ledger_transaction_attempts ON ledger_transaction (user_id) WHERE attempts IS NOT NULL;
-- Nothing searches by postings or attempts, so statistics on them would only cost.
ALTER TABLE ledger_transaction ALTER COLUMN postings SET STATISTICS 0;
ALTER TABLE ledger_transaction ALTER COLUMN attempts SET STATISTICS 0;

CREATE TABLE payout_account (
  team_id text PRIMARY KEY,
  creation_key text NOT NULL,
  processor_account_id text,
  country text NOT NULL,
  email text NOT NULL,
  state text NOT NULL DEFAULT 'onboarding',
  due_fields text[],
  disabled_reason text,
  checked_at timestamptz(3),
  mailed_state text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT payout_account_state_known CHECK (state IN ('onboarding', 'active', 'restricted', 'rejected', 'closed'))
);
CREATE UNIQUE INDEX payout_account_processor_account_id_key ON payout_account (processor_account_id);

CREATE TABLE payee_details (
  team_id text PRIMARY KEY,
  name text NOT NULL,
  address text[],
  country text NOT NULL,
  tax_id text,
  destination bytea,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE payout (
  id text PRIMARY KEY,
  team_id text NOT NULL,
  period date NOT NULL,
  amount bigint NOT NULL,
  method text NOT NULL,
  state text NOT NULL DEFAULT 'planned',
  posted_until timestamptz(6) NOT NULL,
  approved_by text,
  held_at timestamptz(3),
  held_reason text,
  processor_account_id text,
  processor_transfer_id text,
  bank_state text,
  bank_failure text,
  reversed_minor bigint,
  reference text,
  paid_currency text,
  paid_minor bigint,
  rate numeric(18,8),
  failure text,
  lease_until timestamptz(3),
  attempts int NOT NULL DEFAULT 0,
  next_look_at timestamptz(3),
  payee jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sent_at timestamptz(3),
  ended_at timestamptz(3),
  mailed_state text,
  CONSTRAINT payout_state_known CHECK (
    state IN ('planned', 'sending', 'waiting_for_balance', 'sent', 'returned', 'failed')),
  CONSTRAINT payout_method_known CHECK (method IN ('stripe', 'manual')),
  CONSTRAINT payout_bank_state_known CHECK (bank_state IN ('in_transit', 'paid', 'failed')),
  CONSTRAINT payout_reversed_in_part CHECK (reversed_minor > 0 AND reversed_minor * 1000000 < amount),
  CONSTRAINT payout_whole_cents CHECK (amount > 0 AND amount % 1000000 = 0),
  CONSTRAINT payout_first_of_month CHECK (extract(day FROM period) = 1)
);
CREATE UNIQUE INDEX payout_processor_transfer_id_key ON payout (processor_transfer_id);
CREATE UNIQUE INDEX payout_team_id_reference_key ON payout (team_id, reference);
CREATE INDEX payout_team_id_created_at_idx ON payout (team_id, created_at);
CREATE INDEX payout_state_idx ON payout (state);
-- One payout for each team and month.
CREATE UNIQUE INDEX payout_of_month ON payout (team_id, period) WHERE state NOT IN ('returned', 'failed');

CREATE TABLE payout_line (
  payout_id text NOT NULL REFERENCES payout ON UPDATE CASCADE ON DELETE RESTRICT,
  partner_id text NOT NULL,
  amount bigint NOT NULL,
  carried_before bigint NOT NULL,
  carried_after bigint NOT NULL,
  matured_until date NOT NULL,
  CONSTRAINT payout_line_pkey PRIMARY KEY (payout_id, partner_id)
);
CREATE INDEX payout_line_partner_id_idx ON payout_line (partner_id);

CREATE TABLE payout_item (
  payout_id text NOT NULL,
  partner_id text NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  kind text NOT NULL,
  requests bigint NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT payout_item_pkey PRIMARY KEY (payout_id, partner_id, day, model, kind),
  CONSTRAINT payout_item_kind_known CHECK (kind IN ('earned', 'reversed'))
);

CREATE TABLE payout_transaction (
  id text PRIMARY KEY,
  payout_id text NOT NULL,
  kind text NOT NULL,
  postings jsonb NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT payout_transaction_kind_known CHECK (kind IN ('payout', 'payout_return')),
  CONSTRAINT payout_transaction_sums_to_zero CHECK (ledger_sum(postings) = 0)
);
CREATE UNIQUE INDEX payout_transaction_payout_id_kind_key ON payout_transaction (payout_id, kind);

CREATE TABLE earnings_rollup (
  partner_id text NOT NULL,
  hour timestamptz(3) NOT NULL,
  earned bigint NOT NULL,
  PRIMARY KEY (partner_id, hour)
);

CREATE TABLE earnings_day (
  partner_id text NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  kind text NOT NULL,
  requests bigint NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT earnings_day_pkey PRIMARY KEY (partner_id, day, model, kind),
  CONSTRAINT earnings_day_kind_known CHECK (kind IN ('earned', 'reversed'))
);

CREATE TABLE watermark (
  name text PRIMARY KEY,
  up_to timestamptz(6) NOT NULL
);

INSERT INTO watermark (name, up_to)
SELECT name, '2000-01-01' FROM unnest(ARRAY['audit', 'audit_users', 'audit_turn', 'earnings', 'usage', 'activity', 'app_users', 'reversals', 'archive']) AS name;
-- Days before the installation have no statements.
INSERT INTO watermark (name, up_to) VALUES ('statements', date_trunc('day', now(), 'UTC'));

CREATE TABLE archived_month (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  month date NOT NULL,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  charge bigint NOT NULL,
  earned bigint NOT NULL,
  allowance_spent bigint NOT NULL,
  moved bigint NOT NULL,
  granted bigint NOT NULL,
  PRIMARY KEY (user_id, partner_id, month)
);

CREATE TABLE audited_pocket (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  total bigint NOT NULL,
  PRIMARY KEY (user_id, partner_id)
);

CREATE TABLE audit_run (
  id serial PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  users integer NOT NULL,
  differences text[],
  scanned_to text NOT NULL DEFAULT '',
  teams_scanned_to text NOT NULL DEFAULT '',
  bookings_scanned_to timestamptz(6)
);
CREATE INDEX audit_run_at_idx ON audit_run (at);

-- ── Activity: what the dashboards read, rolled up in the background ──────────────────────────────

CREATE TABLE activity_partner_day (
  partner_id text NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  requests bigint NOT NULL,
  unfinished bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  charge bigint NOT NULL,
  provider_cost bigint NOT NULL,
  partner_share bigint NOT NULL,
  PRIMARY KEY (partner_id, day, model, provider)
);
CREATE INDEX activity_partner_day_day_idx ON activity_partner_day (day);

CREATE TABLE activity_app_user (
  partner_id text NOT NULL,
  user_id text NOT NULL,
  requests bigint NOT NULL,
  charge bigint NOT NULL,
  partner_share bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (partner_id, user_id)
);
CREATE INDEX activity_app_user_partner_id_last_at_user_id_idx ON activity_app_user (partner_id, last_at, user_id);
CREATE INDEX activity_app_user_partner_id_charge_user_id_idx ON activity_app_user (partner_id, charge, user_id);

CREATE TABLE activity_money_day (
  day date NOT NULL,
  partner_id text NOT NULL,
  kind text NOT NULL,
  entries bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (day, partner_id, kind)
);

CREATE TABLE refusal_hour (
  hour timestamptz(3) NOT NULL,
  partner_id text NOT NULL,
  code text NOT NULL,
  count bigint NOT NULL,
  first_request_id text,
  PRIMARY KEY (hour, partner_id, code)
);
CREATE INDEX refusal_hour_partner_id_hour_idx ON refusal_hour (partner_id, hour);

CREATE TABLE unanswered_request (
  user_id text NOT NULL,
  request_id text NOT NULL,
  partner_id text NOT NULL,
  model text NOT NULL,
  attempts jsonb NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (request_id)
);
CREATE INDEX unanswered_request_user_id_at_idx ON unanswered_request (user_id, at);
CREATE INDEX unanswered_request_at_idx ON unanswered_request (at);

CREATE TABLE provider_failure_hour (
  hour timestamptz(3) NOT NULL,
  provider text NOT NULL,
  kind text NOT NULL,
  status integer NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (hour, provider, kind, status)
);

CREATE TABLE status_count (
  span text NOT NULL CHECK (span IN ('slot', 'day')),
  begins_at timestamptz(3) NOT NULL,
  part text NOT NULL,
  is_ok boolean NOT NULL,
  up_to_ms integer NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (span, begins_at, part, is_ok, up_to_ms)
);

CREATE TABLE provider_cooldown (
  instance text NOT NULL,
  provider text NOT NULL,
  failures integer NOT NULL,
  cooldown_until timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (instance, provider)
);

-- ── Receipts, models and prices ──────────────────────────────────────────────────────────────────

CREATE TABLE usage_day (
  user_id text NOT NULL,
  day date NOT NULL,
  partner_id text NOT NULL,
  model text NOT NULL,
  requests integer NOT NULL,
  tokens bigint NOT NULL,
  charge bigint NOT NULL,
  PRIMARY KEY (user_id, day, partner_id, model)
);

CREATE TABLE model (
  id text PRIMARY KEY,
  name text NOT NULL,
  provider text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE model_price (
  version text PRIMARY KEY,
  model_id text NOT NULL REFERENCES model ON UPDATE CASCADE ON DELETE RESTRICT,
  prices jsonb NOT NULL,
  effective_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX model_price_model_id_effective_at_idx ON model_price (model_id, effective_at);

CREATE TABLE fx_rate (
  id serial PRIMARY KEY,
  base text NOT NULL,
  quote text NOT NULL,
  rate numeric(12,6) NOT NULL,
  source text NOT NULL,
  as_of timestamptz(3) NOT NULL
);
CREATE INDEX fx_rate_base_quote_as_of_idx ON fx_rate (base, quote, as_of);

-- ── Checkout and payments ────────────────────────────────────────────────────────────────────────

CREATE TABLE checkout_visit (
  id text PRIMARY KEY,
  partner_id text NOT NULL,
  origin text NOT NULL,
  display text NOT NULL,
  currency text NOT NULL DEFAULT 'usd',
  challenge text NOT NULL,
  token_hash bytea NOT NULL,
  metadata jsonb,
  user_id text,
  session_id text,
  key_id text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX checkout_visit_partner_id_created_at_idx ON checkout_visit (partner_id, created_at);
CREATE INDEX checkout_visit_expires_at_idx ON checkout_visit (expires_at);

CREATE TABLE checkout_session (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  visit_id text,
  key_id text,
  status text NOT NULL DEFAULT 'open',
  currency text NOT NULL,
  amount_minor integer NOT NULL,
  rate numeric(12,6) NOT NULL,
  credits bigint NOT NULL,
  checkout_mode text NOT NULL DEFAULT 'embedded',
  language text NOT NULL DEFAULT 'en',
  return_url text,
  method text NOT NULL DEFAULT 'form',
  processor_session_id text,
  processor_payment_id text,
  failure text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3),
  CONSTRAINT checkout_session_status_known CHECK (
    status IN ('open', 'processing', 'completed', 'failed', 'expired')),
  CONSTRAINT checkout_session_method_known CHECK (method IN ('form', 'saved_card', 'auto_top_up')),
  CONSTRAINT checkout_session_amount_positive CHECK (amount_minor > 0 AND credits > 0)
);
CREATE UNIQUE INDEX checkout_session_processor_session_id_key ON checkout_session (processor_session_id);
CREATE UNIQUE INDEX checkout_session_processor_payment_id_key ON checkout_session (processor_payment_id);
CREATE INDEX checkout_session_user_id_created_at_idx ON checkout_session (user_id, created_at);
CREATE INDEX checkout_session_partner_id_created_at_idx ON checkout_session (partner_id, created_at);
CREATE INDEX checkout_session_created_at_idx ON checkout_session (created_at);
CREATE INDEX checkout_session_status_expires_at_idx ON checkout_session (status, expires_at);

CREATE TABLE payment_attempt (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  card bytea,
  is_declined boolean NOT NULL,
  at timestamptz(3) NOT NULL
);
CREATE INDEX payment_attempt_at_idx ON payment_attempt (at);
CREATE INDEX payment_attempt_declined ON payment_attempt (at) WHERE is_declined;

CREATE TABLE purchase (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  session_id text NOT NULL,
  processor_payment_id text,
  currency text NOT NULL,
  amount_minor integer NOT NULL,
  tax_minor integer NOT NULL DEFAULT 0,
  tax_percent numeric(7,4),
  is_reverse_charge boolean NOT NULL DEFAULT false,
  invoiced_by_processor boolean NOT NULL DEFAULT false,
  rate numeric(12,6) NOT NULL,
  credits bigint NOT NULL,
  refunded_minor integer NOT NULL DEFAULT 0,
  disputed_minor integer NOT NULL DEFAULT 0,
  reversals_read integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT purchase_reversed CHECK (
    least(refunded_minor, disputed_minor) >= 0 AND refunded_minor + disputed_minor <= amount_minor)
);
CREATE UNIQUE INDEX purchase_session_id_key ON purchase (session_id);
CREATE INDEX purchase_user_id_created_at_idx ON purchase (user_id, created_at);
CREATE INDEX purchase_partner_id_created_at_idx ON purchase (partner_id, created_at);
CREATE INDEX purchase_processor_payment_id_idx ON purchase (processor_payment_id);
CREATE INDEX purchase_taxed ON purchase (created_at) WHERE tax_minor > 0;
CREATE INDEX purchase_reversed ON purchase (created_at) WHERE refunded_minor > 0 OR disputed_minor > 0;

CREATE TABLE promotion (
  id text PRIMARY KEY,
  kind text NOT NULL,
  code text,
  partner_id text,
  credits bigint,
  percent integer,
  max_credits bigint,
  min_purchase bigint NOT NULL DEFAULT 0,
  is_first_purchase boolean NOT NULL DEFAULT false,
  max_redemptions integer,
  max_per_user integer NOT NULL DEFAULT 1,
  budget bigint,
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  note text NOT NULL DEFAULT '',
  disabled_at timestamptz(3),
  redeemed integer NOT NULL DEFAULT 0,
  given bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- A purchase has a code that people pass on; a gift has secret links, and gives a fixed amount.
  CONSTRAINT promotion_kind CHECK (
    CASE kind WHEN 'purchase' THEN code IS NOT NULL WHEN 'gift' THEN code IS NULL AND credits IS NOT NULL ELSE false END),
  CONSTRAINT promotion_gives_one_of CHECK (num_nonnulls(credits, percent) = 1 AND least(credits, percent, max_credits) > 0),
  CONSTRAINT promotion_within_limits CHECK (
    least(redeemed, given, min_purchase) >= 0 AND max_per_user > 0 AND redeemed <= max_redemptions AND given <= budget)
);
CREATE UNIQUE INDEX promotion_code_key ON promotion (code);
CREATE INDEX promotion_created_at_idx ON promotion (created_at);

CREATE TABLE promotion_link (
  code_hash bytea PRIMARY KEY,
  promotion_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX promotion_link_promotion_id_idx ON promotion_link (promotion_id);

CREATE TABLE promotion_redemption (
  id text PRIMARY KEY,
  promotion_id text NOT NULL,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  credits bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  booked_at timestamptz(3),
  CONSTRAINT promotion_redemption_positive CHECK (credits > 0)
);
CREATE INDEX promotion_redemption_promotion_id_user_id_idx ON promotion_redemption (promotion_id, user_id);
CREATE INDEX promotion_redemption_user_id_idx ON promotion_redemption (user_id);

CREATE TABLE billing_details (
  user_id text PRIMARY KEY,
  name text NOT NULL,
  address text[],
  country text NOT NULL,
  tax_id text,
  reference text,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE invoice_series (
  series text PRIMARY KEY,
  last integer NOT NULL
);

CREATE TABLE invoice (
  number text PRIMARY KEY,
  series text NOT NULL,
  serial integer NOT NULL,
  kind text NOT NULL,
  user_id text NOT NULL,
  purchase_id text NOT NULL,
  amount_minor integer NOT NULL,
  tax_minor integer NOT NULL,
  document jsonb NOT NULL,
  issued_at timestamptz(3) NOT NULL,
  CONSTRAINT invoice_kind_known CHECK (kind IN ('invoice', 'credit_note', 'cancellation')),
  CONSTRAINT invoice_amounts CHECK (amount_minor > 0 AND tax_minor BETWEEN 0 AND amount_minor)
);
CREATE UNIQUE INDEX invoice_series_serial_key ON invoice (series, serial);
CREATE INDEX invoice_purchase_id_idx ON invoice (purchase_id);
-- A purchase has one invoice.
CREATE UNIQUE INDEX invoice_of_purchase ON invoice (purchase_id) WHERE kind = 'invoice';

CREATE TABLE payment_customer (
  user_id text PRIMARY KEY,
  creation_key text NOT NULL,
  processor_customer_id text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  charged_unconfirmed_at timestamptz(3),
  deletion_due_at timestamptz(3)
);
CREATE INDEX payment_customer_deletion_due ON payment_customer (deletion_due_at) WHERE deletion_due_at IS NOT NULL;

CREATE TABLE payment_method_domain (
  host text PRIMARY KEY,
  is_wanted boolean NOT NULL,
  apple_pay boolean,
  google_pay boolean,
  error text,
  failures integer NOT NULL DEFAULT 0,
  checked_at timestamptz(3),
  due_at timestamptz(3) NOT NULL
);

CREATE TABLE auto_top_up (
  user_id text PRIMARY KEY,
  state text NOT NULL,
  threshold bigint NOT NULL,
  currency text NOT NULL,
  amount_minor integer NOT NULL,
  ceiling_minor integer NOT NULL,
  card_id text NOT NULL,
  card_brand text NOT NULL,
  card_last4 text NOT NULL,
  consent_id text NOT NULL,
  authorization_id text,
  off_reason text,
  session_id text,
  lease_until timestamptz(3),
  confirm_until timestamptz(3),
  started_at timestamptz(3),
  month date,
  month_minor integer NOT NULL DEFAULT 0,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT auto_top_up_state_known CHECK (state IN ('authorizing', 'on', 'needs_confirmation', 'off')),
  CONSTRAINT auto_top_up_amounts CHECK (threshold > 0 AND amount_minor BETWEEN 1 AND ceiling_minor),
  -- The ceiling may be lowered below what the month has had; a top-up never passes it.
  CONSTRAINT auto_top_up_month CHECK (month_minor >= 0 AND (month IS NOT NULL OR month_minor = 0)),
  CONSTRAINT auto_top_up_confirmation CHECK (state <> 'needs_confirmation' OR (session_id IS NOT NULL AND confirm_until IS NOT NULL))
);
CREATE UNIQUE INDEX auto_top_up_session_id_key ON auto_top_up (session_id);
-- The background pass reads these every second.
CREATE INDEX auto_top_up_in_progress ON auto_top_up (lease_until) WHERE session_id IS NOT NULL;

CREATE TABLE auto_top_up_consent (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  session_id text NOT NULL,
  text_version text NOT NULL,
  text text NOT NULL,
  threshold bigint NOT NULL,
  currency text NOT NULL,
  amount_minor integer NOT NULL,
  ceiling_minor integer NOT NULL,
  card_id text NOT NULL,
  agreed_at timestamptz(3) NOT NULL
);
CREATE INDEX auto_top_up_consent_user_id_agreed_at_idx ON auto_top_up_consent (user_id, agreed_at);

CREATE TABLE low_balance_mail (
  user_id text PRIMARY KEY,
  threshold bigint CHECK (threshold > 0),
  is_armed boolean NOT NULL DEFAULT true,
  last_at timestamptz(3)
);

CREATE TABLE correction_batch (
  id text PRIMARY KEY,
  source text NOT NULL CHECK (source IN ('price', 'receipt', 'bill')),
  basis text NOT NULL,
  reason text NOT NULL,
  state text NOT NULL DEFAULT 'preparing' CHECK (state IN ('preparing', 'proposed', 'approved', 'booked', 'discarded')),
  requests integer NOT NULL DEFAULT 0,
  users integer NOT NULL DEFAULT 0,
  credits bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  decided_by text,
  decided_at timestamptz(3),
  booked_at timestamptz(3)
);

CREATE TABLE correction (
  batch_id text NOT NULL,
  transaction_id text NOT NULL,
  user_id text NOT NULL,
  partner_id text NOT NULL,
  due bigint NOT NULL CHECK (due >= 0),
  due_cost bigint NOT NULL CHECK (due_cost >= 0),
  charged bigint,
  credits bigint,
  cost bigint CHECK (cost >= 0),
  booked_at timestamptz(6),
  CONSTRAINT correction_pkey PRIMARY KEY (batch_id, transaction_id)
);
CREATE INDEX correction_transaction_id_idx ON correction (transaction_id);
CREATE INDEX correction_user_id_batch_id_idx ON correction (user_id, batch_id);
-- What is still to be booked, user by user.
CREATE INDEX correction_open ON correction (batch_id, user_id) WHERE booked_at IS NULL;

CREATE TABLE due_mail (
  id serial PRIMARY KEY,
  kind text NOT NULL,
  ref jsonb NOT NULL,
  due_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX due_mail_kind_ref_key ON due_mail (kind, ref);
CREATE INDEX due_mail_kind_due_at_idx ON due_mail (kind, due_at);

CREATE TABLE warning_choice (
  user_id text PRIMARY KEY,
  limits boolean NOT NULL DEFAULT false,
  unusual boolean NOT NULL DEFAULT false,
  weekly boolean NOT NULL DEFAULT false,
  zone text NOT NULL,
  weekly_at timestamptz(3)
);
CREATE INDEX warning_choice_weekly ON warning_choice (weekly_at) WHERE weekly_at IS NOT NULL;

CREATE TABLE warning_mail (
  user_id text NOT NULL,
  cause text NOT NULL,
  kind text NOT NULL,
  percent integer NOT NULL DEFAULT 0,
  detail jsonb NOT NULL,
  noted_at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, cause)
);
CREATE INDEX warning_mail_outage ON warning_mail (noted_at) WHERE kind = 'webhook_failing';

CREATE TABLE payment_alert (
  id text PRIMARY KEY,
  kind text NOT NULL,
  session_id text NOT NULL,
  processor_session_id text,
  processor_payment_id text,
  amount_minor integer,
  currency text,
  detail text NOT NULL,
  takes_money boolean NOT NULL DEFAULT false,
  due_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  closed_at timestamptz(3),
  CONSTRAINT payment_alert_kind CHECK (
    kind IN (
      'dispute', 'early_fraud_warning', 'refund_failed', 'wrong_payment', 'uncredited_payment',
      'account_not_ready'))
);
CREATE INDEX payment_alert_closed_at_created_at_idx ON payment_alert (closed_at, created_at);

-- ── Webhooks ─────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE event (
  id text PRIMARY KEY,
  partner_id text NOT NULL,
  type text NOT NULL,
  cause_id text NOT NULL,
  body bytea,
  shown_body bytea,
  position bigint,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX event_partner_id_type_cause_id_key ON event (partner_id, type, cause_id);
CREATE UNIQUE INDEX event_partner_id_position_key ON event (partner_id, position);
CREATE INDEX event_partner_id_created_at_id_idx ON event (partner_id, created_at DESC, id DESC);
CREATE INDEX event_created_at_idx ON event (created_at);

CREATE TABLE delivery (
  event_id text PRIMARY KEY REFERENCES event ON UPDATE CASCADE ON DELETE CASCADE,
  partner_id text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  sends integer NOT NULL DEFAULT 0,
  first_attempt_at timestamptz(3),
  due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_until timestamptz(3),
  lease_token text,
  forgiven boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX delivery_status_partner_id_due_at_idx ON delivery (status, partner_id, due_at);

CREATE TABLE delivery_attempt (
  event_id text NOT NULL REFERENCES delivery ON UPDATE CASCADE ON DELETE CASCADE,
  number integer NOT NULL,
  began_at timestamptz(3) NOT NULL,
  duration_ms integer,
  status integer,
  error text,
  response text NOT NULL DEFAULT '',
  is_manual boolean NOT NULL DEFAULT false,
  PRIMARY KEY (event_id, number)
);
CREATE INDEX delivery_attempt_began_at_idx ON delivery_attempt (began_at);

CREATE TABLE idempotency_key (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  response jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (user_id, partner_id, key)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE idempotent_request (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  key text NOT NULL,
  request_id text NOT NULL,
  request_hash bytea NOT NULL,
  claimed_until timestamptz(3) NOT NULL,
  hold_id text,
  ended boolean NOT NULL DEFAULT false,
  response bytea,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, partner_id, key)
);
CREATE INDEX idempotent_request_created_at_idx ON idempotent_request (created_at);
CREATE INDEX idempotent_request_kept ON idempotent_request (created_at) WHERE response IS NOT NULL;

CREATE TABLE kept_response (
  user_id text NOT NULL,
  partner_id text NOT NULL,
  id text NOT NULL,
  item_ids text[],
  input bytea NOT NULL,
  response bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, partner_id, id)
);
CREATE INDEX kept_response_expires_at_idx ON kept_response (expires_at);

-- ── The audit log ────────────────────────────────────────────────────────────────────────────────

CREATE TABLE audit_entry (
  id serial PRIMARY KEY,
  team_id text,
  partner_id text,
  at timestamptz(3) NOT NULL,
  actor text NOT NULL,
  what text NOT NULL,
  subject text,
  reason text,
  before jsonb,
  after jsonb,
  CONSTRAINT audit_entry_log CHECK (CASE WHEN team_id IS NULL THEN subject IS NOT NULL AND btrim(coalesce(reason, '')) <> ''
    ELSE reason IS NULL END)
);
CREATE INDEX audit_entry_team_id_id_idx ON audit_entry (team_id, id);
CREATE INDEX audit_entry_subject_id_idx ON audit_entry (subject, id);

-- ── Other ────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE signing_key (
  id text PRIMARY KEY,
  public_key bytea NOT NULL,
  private_key bytea,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  retired_at timestamptz(3),
  CONSTRAINT signing_key_has_a_private_half_while_current CHECK ((private_key IS NULL) = (retired_at IS NOT NULL))
);
-- One key is current.
CREATE UNIQUE INDEX signing_key_current ON signing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;

CREATE TABLE daily_statement (
  user_id text NOT NULL,
  scope text NOT NULL,
  day date NOT NULL,
  signed text NOT NULL,
  closing bigint NOT NULL,
  leaves bytea NOT NULL,
  PRIMARY KEY (user_id, scope, day),
  CONSTRAINT daily_statement_leaves_are_hashes CHECK (length(leaves) > 0 AND length(leaves) % 32 = 0)
);

CREATE TABLE sandbox_object (
  id text PRIMARY KEY,
  body jsonb NOT NULL
);

CREATE TABLE installation (
  id integer PRIMARY KEY DEFAULT 1,
  secret bytea NOT NULL,
  secret_since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT installation_is_one_row CHECK (id = 1)
);

CREATE TABLE sql_file (
  name text PRIMARY KEY,
  hash text NOT NULL,
  version text NOT NULL,
  applied_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
