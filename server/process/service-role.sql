-- What the service may do in the database, as the role svc_service: everything but change history, the schema,
-- triggers and functions. The owner of the tables applies this after each migration; it may be repeated.
BEGIN;
GRANT USAGE ON SCHEMA public TO svc_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO svc_service;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO svc_service;

-- Views are only read.
REVOKE INSERT, UPDATE, DELETE ON usage, ledger_entry FROM svc_service;
-- Written once.
REVOKE UPDATE, DELETE
  ON ledger_transaction, model_price, invoice, audit_entry, auto_top_up_consent,
     payout_line, payout_item, payout_transaction FROM svc_service;
-- A trigger allows deletion only with the account.
REVOKE UPDATE ON daily_statement FROM svc_service;
-- Triggers allow changes only of what the processor took back, and of the state of a payout.
REVOKE DELETE ON purchase, payout, invoice_series, signing_key FROM svc_service;
-- Receipts are archived by the owner.
REVOKE INSERT, UPDATE, DELETE ON archived_month FROM svc_service;
-- Read at start, to find out whether the schema is the one of this release.
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations, sql_file FROM svc_service;
COMMIT;
