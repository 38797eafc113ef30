/**
 * A year of requests in a few statements, consistent with the ledger.
 */

export type Size = { requests: number; users: number; keys: number };

const APPS = 20;
const POCKETS_PER_USER = 2;
const userOf = (n: string) => `'usr_growth' || lpad((${n})::text, 12, '0')`;
const app = (user: string, pocket: string) =>
  `'prt_growth' || to_char(((${user}) * 7 + (${pocket})) % ${APPS}, 'FM00')`;

/** Teams, apps, and users with a key and credits in each pocket. The first `keys` users send the load. */
export const people = ({ users, keys }: Size): string => `
  INSERT INTO team (id, name) VALUES ('tm_growth', 'Growth');
  INSERT INTO partner (id, name, publishable_key, rate_bp, team_id)
    SELECT 'prt_growth' || to_char(n, 'FM00'), 'App ' || n, 'svc_pk_growth' || n, 2500, 'tm_growth' FROM generate_series(0, ${APPS - 1}) n;
  INSERT INTO "user" (id, email) SELECT ${userOf('n')}, 'user' || n || '@growth.example' FROM generate_series(0, ${users - 1}) n;
  INSERT INTO user_app (user_id, partner_id, app_user_id, own)
    SELECT ${userOf('n')}, ${app('n', 'k')}, 'au_growth' || n || 'k' || k, 1000000000000
    FROM generate_series(0, ${users - 1}) n, generate_series(0, ${POCKETS_PER_USER - 1}) k;
  INSERT INTO wallet (user_id, money) SELECT user_id, sum(own) FROM user_app GROUP BY 1;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, created_at, postings)
    SELECT user_id, 'txn_0credits' || app_user_id, partner_id, 'adjustment', 'credits' || app_user_id, own, own,
      clock_timestamp() - interval '366 days', ledger_postings('pocket', partner_id, own, 'promotion_expense')
    FROM user_app ORDER BY 2;
  INSERT INTO user_key (id, user_id, partner_id, hash, last4, last_used_at)
    SELECT 'key_growth' || n, ${userOf('n')}, ${app('n', '0')}, sha256(('key' || n)::bytea), 'test', clock_timestamp()
    FROM generate_series(0, ${keys - 1}) n;
  UPDATE watermark SET up_to = clock_timestamp() - interval '1 minute' WHERE name <> 'archive';`;

/** Requests in the order of time; every hundredth row is a grant. */
export const requests = (
  { users }: Size,
  from: number,
  count: number,
  since: string,
  span: string,
): string => `
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, created_at, key_id, held,
    provider_cost, partner_share, model, provider, price_version, input_tokens, cache_read_tokens, cache_write_tokens,
    cache_write_1h_tokens, output_tokens, reasoning_tokens, rate_bp, estimated, cost_reported, outcome, postings)
  SELECT ${userOf('u')}, 'txn_' || lpad(n::text, 22, '0'), ${app('u', 'k')}, 'usage', NULL, -500 * c, 1000000000,
    ${since} + ${span} * ((n - ${from})::float8 / ${count}), 'key_growth' || u, 100000, 400 * c, 100 * c,
    p.model_id, split_part(p.model_id, '/', 1), p.version, 900, 100, 0, 0, 300, 0, 2500, false, true,
    CASE WHEN c = 50 THEN 'aborted' ELSE 'completed' END, NULL
  FROM (
    SELECT n, floor(${users} * power(random(), 3))::int AS u, floor(random() * ${POCKETS_PER_USER})::int AS k,
      1 + floor(random() * 50)::int AS c, floor(random() * 4)::int AS m
    FROM generate_series(${from}, ${from + count - 1}) n WHERE n % 100 <> 0 OFFSET 0) r
  JOIN (SELECT row_number() OVER (ORDER BY model_id) - 1 AS m, * FROM (
    SELECT DISTINCT ON (split_part(model_id, '/', 1)) model_id, version FROM model_price
    WHERE model_id ~ '^(openai|anthropic|google|xai)/' ORDER BY split_part(model_id, '/', 1), version) v) p USING (m)
  ORDER BY n;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, created_at, postings)
  SELECT ${userOf('u')}, 'txn_' || lpad(n::text, 22, '0'), ${app('u', '0')}, 'adjustment', 'grant' || n, 1000000, 1000000000,
    ${since} + ${span} * ((n - ${from})::float8 / ${count}), ledger_postings('pocket', ${app('u', '0')}, 1000000, 'promotion_expense')
  FROM (SELECT n, floor(${users} * power(random(), 3))::int AS u FROM generate_series(${from}, ${from + count - 1}) n WHERE n % 100 = 0 OFFSET 0) r;`;

/** Everything that is stored in addition to the transactions, computed from them. */
export const SUMS = `
  TRUNCATE usage_day, earnings_rollup, earnings_day, activity_partner_day, activity_app_user, activity_money_day;
  UPDATE user_app a SET own = e.own FROM (
    SELECT user_id, partner_id, sum(credits) AS own FROM ledger_transaction GROUP BY 1, 2) e
    WHERE e.user_id = a.user_id AND e.partner_id = a.partner_id;
  UPDATE user_app a SET spent_on = l.day, day_spent = l.of_day, month_spent = l.of_month FROM (
    SELECT user_id, partner_id, last AS day, sum(charge) FILTER (WHERE day = last) AS of_day,
      sum(charge) FILTER (WHERE date_trunc('month', day) = date_trunc('month', last)) AS of_month
    FROM (SELECT user_id, partner_id, charge, day, max(day) OVER (PARTITION BY user_id, partner_id) AS last
      FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day FROM usage) u) s GROUP BY 1, 2, 3) l
    WHERE l.user_id = a.user_id AND l.partner_id = a.partner_id;
  UPDATE wallet w SET money = e.own FROM (SELECT user_id, sum(own) AS own FROM user_app GROUP BY 1) e WHERE e.user_id = w.user_id;
  INSERT INTO usage_day SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, partner_id, model, count(*),
    sum(input_tokens + cache_read_tokens + output_tokens), sum(charge) FROM usage GROUP BY 1, 2, 3, 4;
  INSERT INTO earnings_rollup SELECT partner_id, date_trunc('hour', created_at), sum(partner_share) FROM usage GROUP BY 1, 2;
  INSERT INTO earnings_day SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, 'earned', count(*), sum(partner_share)
    FROM usage GROUP BY 1, 2, 3;
  INSERT INTO activity_partner_day SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, provider, count(*),
    count(*) FILTER (WHERE outcome <> 'completed'), sum(input_tokens + cache_read_tokens), sum(cache_read_tokens),
    sum(output_tokens), sum(charge), sum(provider_cost), sum(partner_share) FROM usage GROUP BY 1, 2, 3, 4;
  INSERT INTO activity_app_user SELECT partner_id, user_id, count(*), sum(charge), sum(partner_share), max(created_at)
    FROM usage GROUP BY 1, 2;
  INSERT INTO activity_money_day SELECT (created_at AT TIME ZONE 'UTC')::date, partner_id, kind, count(*), sum(credits)
    FROM ledger_transaction WHERE kind = 'adjustment' GROUP BY 1, 2, 3;
  UPDATE watermark SET up_to = clock_timestamp() WHERE name <> 'archive';`;

/** The same table, partitioned by month: keys must contain the time, so neither an id nor a cause is unique by itself. */
export const PARTITION = `
  ALTER TABLE ledger_transaction RENAME TO plain;
  CREATE TABLE ledger_transaction (LIKE plain INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (created_at);
  DO $$ BEGIN
    FOR n IN -14..1 LOOP
      EXECUTE format('CREATE TABLE ledger_transaction_%s PARTITION OF ledger_transaction FOR VALUES FROM (%L) TO (%L)', n + 14,
        date_trunc('month', now()) + make_interval(months => n), date_trunc('month', now()) + make_interval(months => n + 1));
    END LOOP;
  END $$;
  INSERT INTO ledger_transaction SELECT * FROM plain;
  DROP TABLE plain CASCADE;
  ALTER TABLE ledger_transaction ADD PRIMARY KEY (id, created_at) WITH (fillfactor = 80);
  CREATE INDEX ledger_transaction_history ON ledger_transaction (user_id, partner_id, ledger_slot(created_at));
  CREATE INDEX ledger_transaction_created ON ledger_transaction USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
  CREATE UNIQUE INDEX ledger_transaction_cause ON ledger_transaction (user_id, kind, cause_id, created_at) WHERE kind <> 'usage';
  CREATE INDEX ledger_transaction_overrun ON ledger_transaction (created_at) WHERE provider_cost > -credits + 1;
  CREATE INDEX ledger_transaction_related ON ledger_transaction (user_id, related_id) WHERE related_id IS NOT NULL;
  CREATE INDEX ledger_transaction_attempts ON ledger_transaction (user_id) WHERE attempts IS NOT NULL;`;
