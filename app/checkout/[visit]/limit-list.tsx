import type { Language } from '@/texts/languages';
import { countCredits, formatCredits } from '../../_ui/amount';
import { LimitBar } from '../../_ui/limit-bar';
import type { Messages } from '../messages';
import type { VisitLimit } from './api';
import { describeTime } from './describe-limit';

type Props = { say: Messages; language: Language; limits: VisitLimit[] };

/** What is used of the limits of the user and of the app, and when they reset. */
export function LimitList({ say, language, limits }: Props) {
  const show = (credits: number) => formatCredits(credits, language);
  return (
    <div className="grid gap-3">
      {limits.map(({ scope, period, most, used, resets_at }) => (
        <LimitBar
          key={`${scope} ${period}`}
          label={say.limitTitle[period][scope]}
          used={used}
          most={most}
          text={say.limitUsed({ used: show(used), count: countCredits(most, language) })}
          note={say.limitResets({ time: describeTime(resets_at, language) })}
        />
      ))}
    </div>
  );
}
