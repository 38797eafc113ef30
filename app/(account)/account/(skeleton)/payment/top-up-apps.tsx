'use client';

import { formatCredits } from '@/app/_ui/amount';
import { Button } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import { useAction } from '@/app/_ui/use-action';
import { saveAllowance } from '../../apps/[app]/actions';

export type TopUpApp = {
  partnerId: string;
  name: string;
  /** Of credits that were not bought in it. */
  allowance: number;
  paused: boolean;
};

/** Which of the apps in use can spend what auto top-up buys. `credits` is one top-up. */
export function TopUpApps({ apps, credits }: { apps: TopUpApp[]; credits: number }) {
  if (apps.length === 0) return null;
  return (
    <div className="mb-5">
      <h3 className="text-sm font-medium">Apps you used in the last 30 days</h3>
      <ul className="mt-2 divide-y divide-line/70 rounded-lg border border-line text-sm">
        {apps.map((app) => (
          <li key={app.partnerId} className="px-4 py-3">
            <App app={app} credits={credits} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function App({ app: { partnerId, name, allowance, paused }, credits }: { app: TopUpApp; credits: number }) {
  const { run, isRunning, failure } = useAction(saveAllowance);
  const canSpend = allowance > 0;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
      <p className="min-w-0 flex-1 basis-56 wrap-anywhere">
        <PageLink href={`/account/apps/${partnerId}`} className="font-medium underline">
          {name}
        </PageLink>{' '}
        {canSpend
          ? `can spend up to ${formatCredits(allowance, 'en')} topped-up credits.`
          : `cannot use topped-up credits${paused ? ': you paused its allowance' : ''}.`}
        {failure && (
          <span role="alert" className="mt-1 block text-danger">
            {failure.message}
          </span>
        )}
      </p>
      {!canSpend && !paused && (
        <Button
          look="secondary"
          size="small"
          busy={isRunning}
          aria-label={`Allow ${name} ${formatCredits(credits, 'en')} credits`}
          onClick={() => void run({ partnerId, credits: String(credits) })}
        >
          Allow {formatCredits(credits, 'en')} credits
        </Button>
      )}
    </div>
  );
}
