-- The accounts that promotions count as one user: a user's own and those of the same mailbox, deleted ones included.
CREATE OR REPLACE FUNCTION promotion_accounts(p_user text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT p_user
  UNION
  SELECT other.id FROM "user" u JOIN "user" other ON other.mailbox_hash = u.mailbox_hash WHERE u.id = p_user
$$;
