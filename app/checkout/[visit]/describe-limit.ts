import type { Language } from '@/texts/languages';
import { joinSentences } from '@/texts/say';
import type { Messages } from '../messages';
import type { LimitedBy } from './api';

type Words = { say: Messages; language: Language; app: string };

/** With its time zone: a limit resets in the one that the user chose for it, not in that of this device. */
export function describeTime(at: string, language: Language): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(at));
}

/** What refuses the app's requests, and what ends that. */
export function describeLimit(
  { kind, scope, resets_at: at }: LimitedBy,
  { say, language, app }: Words,
): string {
  if (kind === 'review') return say.limitReview;
  if (kind === 'stop') return scope === 'all' ? say.limitStopAll : say.limitStopApp({ app });
  const reached = say.limitReached[kind];
  return joinSentences(language, [
    scope === 'partner' ? reached.partner({ app }) : reached[scope ?? 'app'],
    at !== null && say.limitResetsAt({ time: describeTime(at, language) }),
    scope === 'partner' ? say.limitRaiseOfApp : say.limitRaiseOwn,
  ]);
}

/** The link to where the user lifts it. */
export function nameRemedy({ kind, scope }: LimitedBy, { say, app }: Words): string {
  if (kind !== 'stop') return say.changeLimits;
  return scope === 'all' ? say.resumeAll : say.resumeApp({ app });
}

/** Whether the app can spend what was bought, and if not, when. */
export function describeUse(
  { can_spend: canSpend, limited_by: limit }: { can_spend: boolean; limited_by: LimitedBy | null },
  words: Words,
): string {
  const { say, language, app } = words;
  if (limit !== null)
    return joinSentences(language, [say.successLater({ app }), describeLimit(limit, words)]);
  return canSpend ? say.successText({ app }) : say.successDebt({ app });
}
