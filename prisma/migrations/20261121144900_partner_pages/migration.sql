-- What an owner asks of one app: its users, its purchases, whether its checkout was ever opened.

-- CreateIndex
CREATE INDEX "user_app_partner_id_created_at_user_id_idx" ON "user_app"("partner_id", "created_at" DESC, "user_id");

-- CreateIndex
CREATE INDEX "checkout_visit_partner_id_idx" ON "checkout_visit"("partner_id");

-- CreateIndex
CREATE INDEX "purchase_partner_id_created_at_idx" ON "purchase"("partner_id", "created_at");
