-- AlterTable
ALTER TABLE "user" ADD COLUMN     "language" TEXT,
ADD COLUMN     "last_language" TEXT;
