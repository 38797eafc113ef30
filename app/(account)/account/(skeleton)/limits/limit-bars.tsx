import { formatCredits } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { LimitBar } from '@/app/_ui/limit-bar';
import { Time } from '@/app/_ui/time';
import type { LimitView } from '@/server/people/user-limits';
import { unitOf } from '../../show-credits';

const show = (credits: number) => formatCredits(credits, 'en');
const showMost = (credits: number) => `${show(credits)} ${unitOf(credits)}`;

/** What is used of each limit, and when it resets. */
export function LimitBars({ limit }: { limit: LimitView }) {
  const { periods, request, models, isStopped } = limit;
  return (
    <div className="grid max-w-md gap-4">
      {isStopped && (
        <div>
          <Badge look="warning">Stopped</Badge>
        </div>
      )}
      {periods.map(({ period, most, used, resetsAt }) =>
        most === null ? null : (
          <LimitBar
            key={period}
            label={`Per ${period}`}
            used={used}
            most={most}
            text={`${show(used)} of ${showMost(most)}`}
            note={
              <>
                Resets <Time at={resetsAt} />
              </>
            }
          />
        ),
      )}
      {request !== null && <p className="text-sm">At most {showMost(request)} per request.</p>}
      {models !== null && (
        <p className="text-sm wrap-anywhere">
          {models.rule === 'only' ? 'Only with ' : 'Never with '}
          {models.models.join(', ') || 'no model'}.
        </p>
      )}
    </div>
  );
}
