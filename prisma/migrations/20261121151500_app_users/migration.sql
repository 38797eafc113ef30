-- What each user did in an app since the beginning: its owner asks who they are and who comes back.

-- CreateTable
CREATE TABLE "activity_app_user" (
    "partner_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "charge" BIGINT NOT NULL,
    "partner_share" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "activity_app_user_pkey" PRIMARY KEY ("partner_id","user_id")
);

-- CreateIndex
CREATE INDEX "activity_app_user_partner_id_last_at_idx" ON "activity_app_user"("partner_id", "last_at");

-- Folds what came since the watermark, at most one day of it in a call, as activity_roll_up does.
-- True when there is more to fold.
CREATE FUNCTION activity_roll_up_app_users(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'app_users' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  SELECT least(newest, greatest(begun, coalesce(min(created_at), newest)) + interval '1 day') INTO upto
    FROM usage WHERE created_at >= begun AND created_at < newest;

  INSERT INTO activity_app_user AS a (partner_id, user_id, requests, charge, partner_share, last_at)
  SELECT partner_id, user_id, count(*), sum(charge), sum(partner_share), max(created_at)
  FROM usage WHERE created_at >= begun AND created_at < upto
  GROUP BY 1, 2
  ON CONFLICT (partner_id, user_id) DO UPDATE SET
    requests = a.requests + excluded.requests, charge = a.charge + excluded.charge,
    partner_share = a.partner_share + excluded.partner_share, last_at = greatest(a.last_at, excluded.last_at);

  UPDATE watermark SET up_to = upto WHERE name = 'app_users';
  RETURN upto < newest;
END $$;

-- What an app's users did that is not folded yet: in the last moments.
CREATE FUNCTION activity_unfolded_app_users(p_partner text) RETURNS SETOF activity_app_user
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT partner_id, user_id, count(*), sum(charge)::bigint, sum(partner_share)::bigint, max(created_at)
  FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'app_users') AND partner_id = p_partner
  GROUP BY 1, 2
$$;

INSERT INTO watermark (name, up_to) VALUES ('app_users', '2000-01-01');
