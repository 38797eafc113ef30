-- AlterTable
ALTER TABLE "kept_response" DROP CONSTRAINT "kept_response_pkey",
ADD COLUMN     "input_hash" BYTEA,
ADD COLUMN     "no" BIGSERIAL NOT NULL,
ADD COLUMN     "parent_no" BIGINT,
ADD COLUMN     "thread_no" BIGINT,
ALTER COLUMN "input" DROP NOT NULL,
ADD CONSTRAINT "kept_response_pkey" PRIMARY KEY ("no");

-- CreateTable
CREATE TABLE "kept_thread" (
    "no" BIGSERIAL NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kept_thread_pkey" PRIMARY KEY ("no")
);

-- CreateIndex
CREATE INDEX "kept_thread_user_id_idx" ON "kept_thread"("user_id");

-- CreateIndex
CREATE INDEX "kept_thread_expires_at_idx" ON "kept_thread"("expires_at");

-- CreateIndex
CREATE INDEX "kept_response_user_id_partner_id_id_idx" ON "kept_response"("user_id", "partner_id", "id");

-- CreateIndex
CREATE INDEX "kept_response_thread_no_idx" ON "kept_response"("thread_no");

-- CreateIndex
CREATE INDEX "kept_response_input_hash_idx" ON "kept_response"("input_hash");

-- AddForeignKey
ALTER TABLE "kept_response" ADD CONSTRAINT "kept_response_thread_no_fkey" FOREIGN KEY ("thread_no") REFERENCES "kept_thread"("no") ON DELETE CASCADE ON UPDATE NO ACTION;

-- A chain of parents cannot be a circle.
ALTER TABLE "kept_response" ADD CONSTRAINT "kept_response_parent_check" CHECK ("parent_no" < "no");

-- Encrypted bytes cannot be compressed.
ALTER TABLE "kept_response" ALTER COLUMN "input" SET STORAGE EXTERNAL, ALTER COLUMN "response" SET STORAGE EXTERNAL;
