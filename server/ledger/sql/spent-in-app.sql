-- What a user spent in an app on the running day and in its month (UTC), and when these end.
CREATE OR REPLACE FUNCTION ledger_spent_in_app(app user_app, today date)
RETURNS TABLE (day bigint, month bigint, day_ends timestamptz, month_ends timestamptz)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN app.spent_on >= today THEN app.day_spent ELSE 0 END,
    CASE WHEN app.spent_on >= date_trunc('month', today::timestamp) THEN app.month_spent ELSE 0 END,
    timezone('UTC', today + interval '1 day'),
    timezone('UTC', date_trunc('month', today::timestamp) + interval '1 month')
$$;
