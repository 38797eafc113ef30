-- AlterTable
ALTER TABLE "ledger_transaction" ADD COLUMN     "input_units" INTEGER,
ADD COLUMN     "output_units" INTEGER;
