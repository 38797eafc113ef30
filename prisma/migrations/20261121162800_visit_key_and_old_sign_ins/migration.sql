-- AlterTable
ALTER TABLE "checkout_visit" ADD COLUMN "key_id" TEXT;
-- CreateIndex
CREATE INDEX "login_challenge_created_at_idx" ON "login_challenge"("created_at");
-- CreateIndex
CREATE INDEX "sign_in_token_expires_at_idx" ON "sign_in_token"("expires_at");
