-- The bonus credits that a promotion gives for a number of credits bought, in whole credits; 0 if it gives none. The
-- checkout page computes it too (`bonusFor`); a test compares the two on random values.
CREATE OR REPLACE FUNCTION promotion_bonus(p_promotion promotion, p_bought bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_bought < p_promotion.min_purchase THEN 0
    WHEN p_promotion.percent IS NULL THEN p_promotion.credits
    ELSE least(p_promotion.max_credits, div(p_bought::numeric * p_promotion.percent, 100000000)::bigint * 1000000) END
$$;
