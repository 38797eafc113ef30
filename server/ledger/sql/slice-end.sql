-- The end of a slice of transactions that begins at `p_since`, with `p_rows` to twice as many, and `p_until` if fewer are
-- left. The caller selects by time, which is exact.
--
-- Transactions are stored almost in the order of time, so half of those found first usually are the slice. New ones that
-- fill the space of archived ones are not in order: then the slice would have many more, and half of them are tried.
-- The settings leave only the index on time.
CREATE OR REPLACE FUNCTION ledger_slice_end(p_since timestamptz, p_until timestamptz, p_rows integer) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
DECLARE
  slice_end timestamptz := p_until;
  earliest timestamptz;
BEGIN
  WHILE 2 * p_rows = (
    SELECT count(*) FROM (
      SELECT FROM ledger_transaction WHERE created_at >= p_since AND created_at < slice_end LIMIT 2 * p_rows) t)
  LOOP
    SELECT min(t.created_at), percentile_disc(0.5) WITHIN GROUP (ORDER BY t.created_at) INTO earliest, slice_end
      FROM (SELECT created_at FROM ledger_transaction WHERE created_at >= p_since AND created_at < slice_end LIMIT 2 * p_rows) t;
    -- Half of them have the same time.
    IF slice_end = earliest THEN
      RETURN slice_end + interval '1 microsecond';
    END IF;
  END LOOP;
  RETURN slice_end;
END $$;
