import { describeChange } from '@/app/_ui/describe-change';
import { type LoggedAction, TEAM_ACTION_WORDS } from '@/server/partners/team-log';
import type { LogRow } from './log-table';

export function toLogRow({ id, at, actor, what, subject, appName, before, after }: LoggedAction): LogRow {
  return {
    id,
    at: at.toISOString(),
    actor,
    what: WORDS[what] ?? what,
    concerns: [appName, subject].filter((name) => name !== null).join(' · '),
    change: describeChange(before, after),
  };
}

const WORDS: Readonly<Record<string, string>> = TEAM_ACTION_WORDS;
