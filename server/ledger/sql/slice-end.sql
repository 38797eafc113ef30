-- The end of a slice of about `p_rows` transactions that begins at `p_since`, and `p_until` if there are fewer.
-- Transactions are stored in the order of time, so the first that are found give the end; the caller selects by time, which is exact.
-- The settings leave only the index on time.
CREATE OR REPLACE FUNCTION ledger_slice_end(p_since timestamptz, p_until timestamptz, p_rows integer) RETURNS timestamptz
LANGUAGE sql STABLE SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
  SELECT CASE WHEN count(*) < p_rows THEN p_until ELSE least(p_until, max(created_at) + interval '1 microsecond') END
  FROM (SELECT created_at FROM ledger_transaction WHERE created_at >= p_since AND created_at < p_until LIMIT p_rows) t
$$;
