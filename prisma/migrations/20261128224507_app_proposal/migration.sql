-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "proposal_hash" BYTEA;

-- CreateIndex
CREATE UNIQUE INDEX "partner_proposal_hash_key" ON "partner"("proposal_hash");
