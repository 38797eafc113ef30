-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_agent" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "login_challenge" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "partner_id" TEXT,
    "visit_id" TEXT,
    "origin" TEXT,
    "address" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "login_challenge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_token" (
    "token_hash" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "minted_key_id" TEXT,

    CONSTRAINT "sign_in_token_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "partner" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "publishable_key" TEXT NOT NULL,
    "owner_email" TEXT,
    "rate_bp" INTEGER NOT NULL DEFAULT 0,
    "allowed_models" TEXT[],
    "all_models" BOOLEAN NOT NULL DEFAULT true,
    "disabled_at" TIMESTAMPTZ(3),
    "webhook_url" TEXT,
    "webhook_secret" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "partner_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "partner_origin" (
    "partner_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "partner_origin_pkey" PRIMARY KEY ("partner_id","origin")
);

-- CreateTable
CREATE TABLE "user_key" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "session_id" TEXT,
    "hash" BYTEA NOT NULL,
    "last4" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "revoke_reason" TEXT,

    CONSTRAINT "user_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet" (
    "user_id" TEXT NOT NULL,
    "money" BIGINT NOT NULL DEFAULT 0,
    "held" BIGINT NOT NULL DEFAULT 0,
    "running" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "wallet_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "user_app" (
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "app_user_id" TEXT,
    "metadata" JSONB,
    "own" BIGINT NOT NULL DEFAULT 0,
    "own_held" BIGINT NOT NULL DEFAULT 0,
    "allowance_left" BIGINT NOT NULL DEFAULT 0,
    "allowance_saved" BIGINT,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "user_app_pkey" PRIMARY KEY ("user_id","partner_id")
);

-- CreateTable
CREATE TABLE "hold" (
    "user_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "own_part" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "rate_bp" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "metered_cost" BIGINT NOT NULL DEFAULT 0,
    "metered_charge" BIGINT NOT NULL DEFAULT 0,
    "metered_receipt" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "hold_pkey" PRIMARY KEY ("user_id","request_id")
);

-- CreateTable
CREATE TABLE "ledger_transaction" (
    "user_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "cause_id" TEXT NOT NULL,
    "credits" BIGINT NOT NULL,
    "balance_after" BIGINT NOT NULL,
    "credits_added" BIGINT NOT NULL DEFAULT 0,
    "allowance_saved" BIGINT,
    "related_id" TEXT,
    "note" TEXT,
    "postings" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "ledger_transaction_pkey" PRIMARY KEY ("user_id","id")
);

-- CreateTable
CREATE TABLE "earnings_rollup" (
    "partner_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "earned" BIGINT NOT NULL,

    CONSTRAINT "earnings_rollup_pkey" PRIMARY KEY ("partner_id","hour")
);

-- CreateTable
CREATE TABLE "watermark" (
    "name" TEXT NOT NULL,
    "up_to" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "watermark_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "audit_run" (
    "id" SERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "users" INTEGER NOT NULL,
    "differences" TEXT[],

    CONSTRAINT "audit_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage" (
    "user_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "price_version" TEXT NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "cache_read_tokens" INTEGER NOT NULL,
    "cache_write_tokens" INTEGER NOT NULL,
    "cache_write_1h_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL,
    "reasoning_tokens" INTEGER NOT NULL,
    "held" BIGINT NOT NULL DEFAULT 0,
    "provider_cost" BIGINT NOT NULL,
    "charge" BIGINT NOT NULL,
    "partner_share" BIGINT NOT NULL DEFAULT 0,
    "estimated" BOOLEAN NOT NULL,
    "outcome" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "usage_pkey" PRIMARY KEY ("user_id","request_id")
);

-- CreateTable
CREATE TABLE "model" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_price" (
    "version" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "prices" JSONB NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_price_pkey" PRIMARY KEY ("version")
);

-- CreateTable
CREATE TABLE "fx_rate" (
    "id" SERIAL NOT NULL,
    "base" TEXT NOT NULL,
    "quote" TEXT NOT NULL,
    "rate" DECIMAL(12,6) NOT NULL,
    "source" TEXT NOT NULL,
    "as_of" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fx_rate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkout_visit" (
    "id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "currency" TEXT NOT NULL DEFAULT 'usd',
    "challenge" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "metadata" JSONB,
    "user_id" TEXT,
    "session_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkout_visit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkout_session" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "visit_id" TEXT,
    "key_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'open',
    "currency" TEXT NOT NULL,
    "amount_minor" INTEGER NOT NULL,
    "rate" DECIMAL(12,6) NOT NULL,
    "credits" BIGINT NOT NULL,
    "checkout_mode" TEXT NOT NULL DEFAULT 'embedded',
    "return_url" TEXT,
    "processor_session_id" TEXT,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "checkout_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "purchase" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_minor" INTEGER NOT NULL,
    "rate" DECIMAL(12,6) NOT NULL,
    "credits" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purchase_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "cause_id" TEXT NOT NULL,
    "body" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "event_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("user_id","partner_id","key")
);

-- CreateTable
CREATE TABLE "sandbox_object" (
    "id" TEXT NOT NULL,
    "body" JSONB NOT NULL,

    CONSTRAINT "sandbox_object_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_hash_key" ON "session"("token_hash");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "login_challenge_email_created_at_idx" ON "login_challenge"("email", "created_at");

-- CreateIndex
CREATE INDEX "login_challenge_address_created_at_idx" ON "login_challenge"("address", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "partner_publishable_key_key" ON "partner"("publishable_key");

-- CreateIndex
CREATE UNIQUE INDEX "user_key_hash_key" ON "user_key"("hash");

-- CreateIndex
CREATE INDEX "user_key_user_id_partner_id_idx" ON "user_key"("user_id", "partner_id");

-- CreateIndex
CREATE INDEX "user_key_session_id_idx" ON "user_key"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_app_app_user_id_key" ON "user_app"("app_user_id");

-- CreateIndex
CREATE INDEX "ledger_transaction_user_id_partner_id_created_at_idx" ON "ledger_transaction"("user_id", "partner_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "audit_run_at_idx" ON "audit_run"("at");

-- CreateIndex
CREATE INDEX "model_price_model_id_effective_at_idx" ON "model_price"("model_id", "effective_at");

-- CreateIndex
CREATE INDEX "fx_rate_base_quote_as_of_idx" ON "fx_rate"("base", "quote", "as_of");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_session_processor_session_id_key" ON "checkout_session"("processor_session_id");

-- CreateIndex
CREATE INDEX "checkout_session_user_id_created_at_idx" ON "checkout_session"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "checkout_session_status_expires_at_idx" ON "checkout_session"("status", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "purchase_session_id_key" ON "purchase"("session_id");

-- CreateIndex
CREATE INDEX "purchase_user_id_created_at_idx" ON "purchase"("user_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "event_partner_id_type_cause_id_key" ON "event"("partner_id", "type", "cause_id");

-- CreateIndex
CREATE INDEX "delivery_status_due_at_idx" ON "delivery"("status", "due_at");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "partner_origin" ADD CONSTRAINT "partner_origin_partner_id_fkey" FOREIGN KEY ("partner_id") REFERENCES "partner"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
