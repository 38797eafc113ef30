-- How many codes an app asked for in the last hour.
CREATE INDEX "login_challenge_partner_id_created_at_idx" ON "login_challenge"("partner_id", "created_at");
