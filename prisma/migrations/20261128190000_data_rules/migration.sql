-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "data_rules" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "wallet" ADD COLUMN     "data_rules" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "ledger_transaction" ADD COLUMN     "data_rules" SMALLINT;
