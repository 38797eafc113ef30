-- AlterTable
ALTER TABLE "hold" ADD COLUMN     "job_id" TEXT;

-- CreateTable
CREATE TABLE "video_job" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "price_version" TEXT NOT NULL,
    "rate_bp" INTEGER NOT NULL,
    "data_rules" SMALLINT,
    "seconds" INTEGER NOT NULL,
    "size" TEXT NOT NULL,
    "input_images" INTEGER NOT NULL,
    "most_cost" BIGINT NOT NULL,
    "upstream_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'running',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,
    "url" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "next_look_at" TIMESTAMPTZ(3) NOT NULL,
    "complete_by" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "video_job_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "video_job_user_id_partner_id_created_at_idx" ON "video_job"("user_id", "partner_id", "created_at");

-- CreateIndex
CREATE INDEX "video_job_state_next_look_at_idx" ON "video_job"("state", "next_look_at");

-- CreateIndex
CREATE INDEX "video_job_expires_at_idx" ON "video_job"("expires_at");

-- What Prisma cannot express.
ALTER TABLE "video_job" ADD CONSTRAINT "video_job_state_fits" CHECK (
    state IN ('running', 'completed', 'failed') AND (state = 'running') = (ended_at IS NULL)
    AND (state = 'failed') = (error_code IS NOT NULL) AND (url IS NULL OR state = 'completed'));

ALTER TABLE "provider_loss" DROP CONSTRAINT "provider_loss_reason_known", ADD CONSTRAINT "provider_loss_reason_known" CHECK (
    reason IN ('timeout', 'connection_lost', 'instance_died', 'unreadable_response', 'failed_response', 'failed_job', 'settled_late'));
