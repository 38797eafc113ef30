-- CreateTable
CREATE TABLE "user_refund" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "purchase_id" TEXT NOT NULL,
    "amount_minor" INTEGER NOT NULL,
    "target_minor" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),
    "is_refused" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "user_refund_pkey" PRIMARY KEY ("user_id","id")
);

-- CreateIndex
CREATE INDEX "user_refund_purchase_id_idx" ON "user_refund"("purchase_id");

-- Those that a killed process left.
CREATE INDEX "user_refund_unsettled" ON "user_refund"("created_at") WHERE "settled_at" IS NULL;
