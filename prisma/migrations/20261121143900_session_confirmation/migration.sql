-- When the person last proved to be present with a code; a device signed in before now proved it then.
ALTER TABLE "session" ADD COLUMN "confirmed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "session" SET "confirmed_at" = "created_at";
