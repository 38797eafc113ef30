-- AlterTable
ALTER TABLE "session" ADD COLUMN     "identity_id" TEXT;

-- CreateTable
CREATE TABLE "linked_identity" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "linked_identity_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "linked_identity_user_id_idx" ON "linked_identity"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "linked_identity_provider_issuer_subject_key" ON "linked_identity"("provider", "issuer", "subject");

-- CreateIndex
CREATE INDEX "session_identity_id_idx" ON "session"("identity_id");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_identity_id_fkey" FOREIGN KEY ("identity_id") REFERENCES "linked_identity"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "linked_identity" ADD CONSTRAINT "linked_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
