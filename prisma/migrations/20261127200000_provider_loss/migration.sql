-- Calls that a provider billed, or may have billed, and that no user was charged for.
CREATE TABLE provider_loss (
  user_id text NOT NULL,
  request_id text NOT NULL,
  call integer NOT NULL,
  partner_id text NOT NULL,
  model text,
  provider text,
  reason text NOT NULL,
  cost bigint NOT NULL,
  is_estimated boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, request_id, call),
  CONSTRAINT provider_loss_reason_known CHECK (
    reason IN ('timeout', 'connection_lost', 'instance_died', 'unreadable_response', 'failed_response', 'settled_late')),
  CONSTRAINT provider_loss_costs_something CHECK (cost > 0)
);
CREATE INDEX provider_loss_at_idx ON provider_loss (at);
