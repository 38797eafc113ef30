import { describeChange } from '@/app/_ui/describe-change';
import type { LogRow } from '@/app/_ui/log-table';
import type { RecordedAction } from '@/server/operator/record';
import { describeAction } from '@/server/partners/audit-log';

/** One audit entry in words. Changed values are written as `before → after`. */
export function toLogRow({ name, before, after, ...entry }: RecordedAction): LogRow {
  const subject = entry.subject ?? '';
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    actor: entry.actor,
    what: describeAction(entry),
    subject: name ?? (subject.startsWith('usr_') ? 'a deleted account' : subject),
    reason: entry.reason,
    change: describeChange(before, after),
  };
}
