-- DropForeignKey
ALTER TABLE "delivery" DROP CONSTRAINT "delivery_event_id_fkey";

-- DropIndex
DROP INDEX "delivery_status_due_at_idx";

-- AlterTable
ALTER TABLE "delivery" DROP COLUMN "last_error",
DROP COLUMN "last_status",
ADD COLUMN     "first_attempt_at" TIMESTAMPTZ(3),
ADD COLUMN     "forgiven" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lease_token" TEXT,
ADD COLUMN     "sends" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "shown_body" BYTEA;

-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "webhook_next_secret" BYTEA;

-- CreateTable
CREATE TABLE "delivery_attempt" (
    "event_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER,
    "status" INTEGER,
    "error" TEXT,
    "response" TEXT NOT NULL DEFAULT '',
    "by_hand" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("event_id","number")
);

-- CreateIndex
CREATE INDEX "delivery_status_partner_id_due_at_idx" ON "delivery"("status", "partner_id", "due_at");

-- CreateIndex
CREATE INDEX "event_partner_id_created_at_id_idx" ON "event"("partner_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "event_created_at_idx" ON "event"("created_at");

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempt" ADD CONSTRAINT "delivery_attempt_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "delivery"("event_id") ON DELETE CASCADE ON UPDATE CASCADE;
