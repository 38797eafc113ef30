import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';
import type { UserCorrection } from '@/server/reports/activity/user-corrections';
import { inCredits } from '../../show-credits';

/** What the user got back, whatever the filters of the page select. Nothing for most users. */
export function Corrections({ corrections }: { corrections: UserCorrection[] }) {
  if (corrections.length === 0) return null;
  return (
    <Section title="Corrections" description="Refunds for overcharged requests." flush>
      <ul>
        {corrections.map(({ batchId, bookedAt, reason, requests, credits }) => (
          <li
            key={batchId}
            className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1 border-b border-line/70 px-5 py-4 text-sm last:border-0"
          >
            <div className="min-w-0 flex-1 basis-56">
              <PageLink
                href={`/account/activity/corrections/${batchId}`}
                className={`font-medium wrap-anywhere ${ROW_LINK}`}
              >
                {reason}
              </PageLink>
              <p className="mt-0.5 text-muted">
                <Time at={bookedAt.toISOString()} withClock={false} /> · {countOf(requests, 'request')}
              </p>
            </div>
            <p className="font-medium tabular-nums">+{inCredits(credits)}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
