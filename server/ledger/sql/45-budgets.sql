-- What run keys and runs may spend, and which keys may be used.

-- Whether a user key may be used. Every lookup of one asks this. Inlined.
CREATE OR REPLACE FUNCTION ledger_key_lives(revoked_at timestamptz, expires_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ledger_clock())
$$;

-- What budgets leave a request that costs at least `p_cost`: `free` is the most that it may hold now. `refusal` names a budget
-- that it would not fit even if no other request were running, and `remaining` what that one has left. A run begins with its
-- first request, which may set its ceiling `p_run_credits`; a later one must repeat it, or name none, and `remaining` is then
-- the one that was set, 0 for none. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION ledger_budgets(p_user text, p_budgets text[], p_run_credits bigint, p_cost bigint)
RETURNS TABLE (free bigint, refusal text, remaining bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  rule record;
BEGIN
  FOR rule IN
    SELECT n.id LIKE 'run:%' AS is_run, b.id IS NOT NULL AS is_known, b.requests, b.credits AS saved,
      CASE WHEN b.id IS NOT NULL THEN b.credits WHEN n.id LIKE 'run:%' THEN p_run_credits ELSE 0 END AS credits,
      coalesce(b.spent, 0) AS spent, coalesce(b.held, 0) AS held, b.used
    FROM unnest(p_budgets) WITH ORDINALITY AS n (id, place)
    LEFT JOIN budget b ON b.user_id = p_user AND b.id = n.id ORDER BY n.place
  LOOP
    free := least(free, rule.credits - rule.spent - rule.held);
    IF refusal IS NULL THEN
      refusal := CASE
        WHEN rule.is_run AND rule.is_known AND coalesce(p_run_credits <> rule.saved, p_run_credits IS NOT NULL) THEN 'limit_ceiling_run'
        WHEN p_cost > rule.credits - rule.spent THEN CASE WHEN rule.is_run THEN 'limit_credits_run' ELSE 'limit_credits_key' END
        WHEN rule.used >= rule.requests THEN 'limit_requests_key'
      END;
      remaining := CASE WHEN refusal = 'limit_ceiling_run' THEN coalesce(rule.saved, 0)
        WHEN refusal IS NOT NULL THEN coalesce(rule.credits - rule.spent, 0) END;
    END IF;
  END LOOP;
  RETURN NEXT;
END $$;

-- Reserves a hold in each budget that it draws on, and returns them. Begins a run. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION ledger_reserve_budgets(
  p_user text, p_partner text, p_budgets text[], p_run_credits bigint, p_amount bigint
) RETURNS text[] LANGUAGE sql AS $$
  INSERT INTO budget AS b (user_id, id, partner_id, credits, held, used, created_at, last_used_at)
  SELECT p_user, n.id, p_partner, p_run_credits, p_amount, 1, ledger_clock(), ledger_clock() FROM unnest(p_budgets) AS n (id)
  ON CONFLICT (user_id, id) DO UPDATE SET held = b.held + p_amount, used = b.used + 1, last_used_at = excluded.last_used_at;
  SELECT p_budgets
$$;

-- Ends a hold in each budget that it draws on. One that was not charged has used no request. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION ledger_settle_budgets(
  p_user text, p_budgets text[], p_freed bigint, p_taken bigint, p_charged boolean
) RETURNS integer LANGUAGE sql AS $$
  UPDATE budget b SET held = b.held - p_freed, spent = b.spent + p_taken,
    used = b.used - CASE WHEN p_charged THEN 0 ELSE 1 END
  WHERE b.user_id = p_user AND b.id = ANY (p_budgets);
  SELECT cardinality(p_budgets)
$$;

-- Changes what a run key may spend, at least what it has spent and holds. False if it has no budget, or less than that is asked.
CREATE OR REPLACE FUNCTION ledger_raise_budget(p_user text, p_key text, p_credits bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  UPDATE budget b SET credits = p_credits
  WHERE b.user_id = p_user AND b.id = p_key AND p_credits >= b.spent + b.held AND EXISTS (
    SELECT FROM user_key k WHERE k.id = p_key AND k.user_id = p_user AND ledger_key_lives(k.revoked_at, k.expires_at));
  RETURN FOUND;
END $$;
