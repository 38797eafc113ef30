-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "rate_cap_bp" INTEGER NOT NULL DEFAULT 10000,
ADD COLUMN     "review" TEXT NOT NULL DEFAULT 'approved';
ALTER TABLE "partner" ADD CONSTRAINT "partner_rate_below_cap" CHECK ("rate_bp" <= "rate_cap_bp" AND "rate_cap_bp" <= 10000);
ALTER TABLE "partner" ADD CONSTRAINT "partner_review_known" CHECK ("review" IN ('pending', 'approved', 'declined'));
-- An app that was not approved cannot spend: the ledger asks for disabled_at alone.
ALTER TABLE "partner" ADD CONSTRAINT "partner_enabled_when_approved" CHECK ("review" = 'approved' OR "disabled_at" IS NOT NULL);

-- CreateTable
CREATE TABLE "partner_rate" (
    "id" SERIAL NOT NULL,
    "partner_id" TEXT NOT NULL,
    "rate_bp" INTEGER NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "applied_at" TIMESTAMPTZ(3),

    CONSTRAINT "partner_rate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "retired_publishable_key" (
    "publishable_key" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "works_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retired_publishable_key_pkey" PRIMARY KEY ("publishable_key")
);

-- CreateIndex
CREATE INDEX "partner_rate_partner_id_effective_at_idx" ON "partner_rate"("partner_id", "effective_at");

-- A change that waits: at most one for each partner.
CREATE UNIQUE INDEX "partner_rate_waiting" ON "partner_rate"("partner_id") WHERE "applied_at" IS NULL;

-- AddForeignKey
ALTER TABLE "partner_rate" ADD CONSTRAINT "partner_rate_partner_id_fkey" FOREIGN KEY ("partner_id") REFERENCES "partner"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The history of partners that exist begins with the rate they have.
INSERT INTO "partner_rate" ("partner_id", "rate_bp", "effective_at", "created_at", "applied_at")
SELECT "id", "rate_bp", "created_at", "created_at", "created_at" FROM "partner";
