-- DropIndex
DROP INDEX "user_app_app_user_id_prefix";

-- CreateTable
CREATE TABLE "batch_job" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "price_version" TEXT NOT NULL,
    "rate_bp" INTEGER NOT NULL,
    "data_rules" SMALLINT,
    "endpoint" TEXT NOT NULL,
    "input_file_id" TEXT,
    "metadata" BYTEA,
    "lines" BYTEA NOT NULL,
    "line_count" INTEGER NOT NULL,
    "most_cost" BIGINT NOT NULL,
    "upload_id" TEXT,
    "upstream_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'running',
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "output_id" TEXT,
    "output_bytes" INTEGER NOT NULL DEFAULT 0,
    "error_id" TEXT,
    "error_bytes" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "cancelled_at" TIMESTAMPTZ(3),
    "next_look_at" TIMESTAMPTZ(3) NOT NULL,
    "complete_by" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "batch_job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batch_file" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "name" BYTEA NOT NULL,
    "bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "batch_file_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batch_file_piece" (
    "file_id" TEXT NOT NULL,
    "at" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "batch_file_piece_pkey" PRIMARY KEY ("file_id","at")
);

-- CreateIndex
CREATE INDEX "batch_job_user_id_partner_id_created_at_idx" ON "batch_job"("user_id", "partner_id", "created_at");

-- CreateIndex
CREATE INDEX "batch_job_state_next_look_at_idx" ON "batch_job"("state", "next_look_at");

-- CreateIndex
CREATE INDEX "batch_job_expires_at_idx" ON "batch_job"("expires_at");

-- CreateIndex
CREATE INDEX "batch_file_user_id_partner_id_created_at_idx" ON "batch_file"("user_id", "partner_id", "created_at");

-- CreateIndex
CREATE INDEX "batch_file_expires_at_idx" ON "batch_file"("expires_at");

-- CreateIndex
CREATE INDEX "user_app_app_user_id_prefix" ON "user_app"("app_user_id" text_pattern_ops);

-- AddForeignKey
ALTER TABLE "batch_file_piece" ADD CONSTRAINT "batch_file_piece_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "batch_file"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot express.
ALTER TABLE "batch_job" ADD CONSTRAINT "batch_job_state_fits" CHECK (
    state IN ('running', 'completed', 'expired', 'cancelled', 'failed') AND (state = 'running') = (ended_at IS NULL)
    AND (state = 'failed') = (error_message IS NOT NULL) AND format IN ('openai', 'anthropic'));
