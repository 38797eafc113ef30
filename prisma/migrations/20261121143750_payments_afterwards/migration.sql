-- AlterTable
ALTER TABLE "checkout_session" ADD COLUMN     "language" TEXT NOT NULL DEFAULT 'en';

-- AlterTable
ALTER TABLE "purchase" ADD COLUMN     "disputed_minor" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "processor_payment_id" TEXT,
ADD COLUMN     "receipt_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "receipt_due_at" TIMESTAMPTZ(3),
ADD COLUMN     "refunded_minor" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "payment_customer" (
    "user_id" TEXT NOT NULL,
    "creation_key" TEXT NOT NULL,
    "processor_customer_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_customer_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "payment_alert" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "amount_minor" INTEGER,
    "detail" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "payment_alert_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "payment_alert_closed_at_created_at_idx" ON "payment_alert"("closed_at", "created_at");

-- CreateIndex
CREATE INDEX "purchase_receipt_due_at_idx" ON "purchase"("receipt_due_at");

-- What was taken back lies between nothing and all.
ALTER TABLE "purchase" ADD CONSTRAINT "purchase_refunded" CHECK ("refunded_minor" BETWEEN 0 AND "amount_minor");
ALTER TABLE "purchase" ADD CONSTRAINT "purchase_disputed" CHECK ("disputed_minor" BETWEEN 0 AND "amount_minor");
ALTER TABLE "payment_alert" ADD CONSTRAINT "payment_alert_kind"
  CHECK ("kind" IN ('dispute', 'early_fraud_warning', 'refund_failed', 'wrong_payment'));
