import { Notice } from '@/app/_ui/notice';
import { Time } from '@/app/_ui/time';
import { DAY_MS, now } from '@/server/base/clock';
import { formatPercent } from '@/server/partners/rate';
import { dearerBy, listRaises } from '@/server/partners/rates';
import type { AppOfUser } from '@/server/people/apps-of-user';

const SHOWN_MS = 30 * DAY_MS;
const percent = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** What became dearer in the last 30 days since the user joined the app, or will. */
export async function Raises({ apps }: { apps: Pick<AppOfUser, 'partnerId' | 'name' | 'since'>[] }) {
  const raises = await listRaises(
    apps.map(({ partnerId }) => partnerId),
    new Date(now() - SHOWN_MS),
  );
  return apps.flatMap(({ partnerId, name, since }) =>
    raises
      .filter((raise) => raise.partnerId === partnerId && raise.at > since)
      .map((raise) => (
        <div key={`${partnerId} ${raise.at.toISOString()}`} className="mb-6">
          <Notice>
            <strong className="wrap-anywhere">{name}</strong>{' '}
            {raise.at.getTime() > now() ? 'will raise' : 'raised'} its commission from{' '}
            {formatPercent(raise.fromBp)}% to {formatPercent(raise.toBp)}% on{' '}
            <Time at={raise.at.toISOString()} />. The same request costs {percent.format(dearerBy(raise))}%
            more from then on.
          </Notice>
        </div>
      )),
  );
}
