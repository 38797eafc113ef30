-- AlterTable
ALTER TABLE "kept_response" ADD COLUMN     "key_id" TEXT;
