-- The receipts that roll-up.sql has not added to a day yet.
CREATE OR REPLACE FUNCTION activity_pending() RETURNS SETOF usage LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT * FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'activity')
$$;
