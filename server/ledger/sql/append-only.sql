-- Transactions, prices, invoices, statements of payouts, corrections, audit entries and consents are never changed or
-- deleted, by anyone. Of a purchase only what the processor has taken back and the delivery of its receipt change, of a
-- payout only its state and how it was paid. Receipts are removed only by remove-archived.sql, and daily statements are
-- deleted only with their account.

CREATE OR REPLACE TRIGGER ledger_transaction_append_only BEFORE UPDATE ON ledger_transaction
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_kept BEFORE DELETE ON ledger_transaction
  FOR EACH ROW WHEN (OLD.kind <> 'usage') EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_kept_until_archived BEFORE DELETE ON ledger_transaction
  FOR EACH ROW WHEN (OLD.kind = 'usage') EXECUTE FUNCTION ledger_refuse_unless_archiving();
CREATE OR REPLACE TRIGGER archived_month_append_only BEFORE UPDATE ON archived_month
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_unless_archiving();
CREATE OR REPLACE TRIGGER archived_month_kept BEFORE DELETE ON archived_month
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER archived_month_not_truncated BEFORE TRUNCATE ON archived_month
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_not_truncated BEFORE TRUNCATE ON ledger_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER model_price_append_only BEFORE UPDATE OR DELETE ON model_price
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER model_price_not_truncated BEFORE TRUNCATE ON model_price
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER purchase_append_only BEFORE DELETE OR UPDATE OF
  id, user_id, partner_id, session_id, currency, amount_minor, tax_minor, tax_percent, is_reverse_charge,
  invoiced_by_processor, rate, credits, created_at ON purchase
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER purchase_not_truncated BEFORE TRUNCATE ON purchase
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER operator_action_not_truncated BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER team_action_append_only BEFORE UPDATE OR DELETE ON team_action
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER team_action_not_truncated BEFORE TRUNCATE ON team_action
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER auto_top_up_consent_append_only BEFORE UPDATE OR DELETE ON auto_top_up_consent
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER auto_top_up_consent_not_truncated BEFORE TRUNCATE ON auto_top_up_consent
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER invoice_append_only BEFORE UPDATE OR DELETE ON invoice
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER invoice_not_truncated BEFORE TRUNCATE ON invoice
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_line_append_only BEFORE UPDATE OR DELETE ON payout_line
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_line_not_truncated BEFORE TRUNCATE ON payout_line
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_item_append_only BEFORE UPDATE OR DELETE ON payout_item
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_item_not_truncated BEFORE TRUNCATE ON payout_item
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_transaction_append_only BEFORE UPDATE OR DELETE ON payout_transaction
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_transaction_not_truncated BEFORE TRUNCATE ON payout_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_append_only BEFORE DELETE OR UPDATE OF
  id, team_id, period, amount, posted_until, created_at ON payout
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_not_truncated BEFORE TRUNCATE ON payout
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- What a batch proposes no longer changes once it is proposed; a correction is only marked as booked.
CREATE OR REPLACE TRIGGER correction_append_only BEFORE DELETE OR UPDATE OF
  batch_id, transaction_id, user_id, partner_id, due, due_cost, charged, credits, cost ON correction
  FOR EACH ROW WHEN (OLD.credits > 0) EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_not_truncated BEFORE TRUNCATE ON correction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_batch_append_only BEFORE DELETE OR UPDATE OF
  id, source, basis, reason, requests, users, credits, created_at ON correction_batch
  FOR EACH ROW WHEN (OLD.state <> 'preparing') EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_batch_not_truncated BEFORE TRUNCATE ON correction_batch
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Signing keys are retired and encrypted again, never replaced or deleted.
CREATE OR REPLACE TRIGGER signing_key_append_only BEFORE DELETE OR UPDATE OF id, public_key, created_at ON signing_key
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER signing_key_not_truncated BEFORE TRUNCATE ON signing_key
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER daily_statement_kept BEFORE DELETE ON daily_statement
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_unless_deleted();
CREATE OR REPLACE TRIGGER daily_statement_append_only BEFORE UPDATE ON daily_statement
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER daily_statement_not_truncated BEFORE TRUNCATE ON daily_statement
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
