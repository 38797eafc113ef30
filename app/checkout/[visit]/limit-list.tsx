import { formatCredits } from '../../_ui/amount';
import type { Language } from '../../_ui/language';
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
          label={say.limitTitle(scope, period)}
          used={used}
          most={most}
          text={say.limitUsed(show(used), show(most))}
          note={say.limitResets(describeTime(resets_at, language))}
        />
      ))}
    </div>
  );
}
