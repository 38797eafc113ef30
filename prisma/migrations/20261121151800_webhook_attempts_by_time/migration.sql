-- CreateIndex
CREATE INDEX "delivery_attempt_began_at_idx" ON "delivery_attempt"("began_at");
