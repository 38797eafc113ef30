-- Visits that are over are forgotten, but for the newest of each app.

-- DropIndex
DROP INDEX "checkout_visit_partner_id_idx";

-- CreateIndex
CREATE INDEX "checkout_visit_partner_id_created_at_idx" ON "checkout_visit"("partner_id", "created_at");

-- CreateIndex
CREATE INDEX "checkout_visit_expires_at_idx" ON "checkout_visit"("expires_at");
