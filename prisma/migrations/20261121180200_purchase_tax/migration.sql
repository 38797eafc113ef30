-- AlterTable
ALTER TABLE "purchase" ADD COLUMN "tax_minor" INTEGER NOT NULL DEFAULT 0;
