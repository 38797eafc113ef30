import { Section } from '@/app/_ui/section';
import { writeTypedLimits } from '@/server/base/typed-limits';
import { choosableModels } from '@/server/gateway/pricing/served';
import { ALL_APPS } from '@/server/ledger';
import { findLimitsOfApp, listUserLimits } from '@/server/people/user-limits';
import { LimitBars } from './limit-bars';
import { MyLimitForm } from './limit-form';
import { StopButton } from './stop-button';

/** `name` is that of the app, or "all apps". */
type Props = { userId: string; partnerId: string; name: string };

/** The stop and the limits of one app, or of all apps. */
export async function LimitSections({ userId, partnerId, name }: Props) {
  const [{ zone, limits }, ofApp] = await Promise.all([
    listUserLimits(userId),
    findLimitsOfApp(userId, partnerId),
  ]);
  const saved = limits.find((limit) => limit.partnerId === partnerId) ?? null;
  const typed = saved?.typed ?? writeTypedLimits(null);
  const isForAll = partnerId === ALL_APPS;
  const isStopped = saved?.isStopped ?? false;
  return (
    <>
      {/* While all are stopped, the top of each page has the button that resumes them. */}
      {!(isForAll && isStopped) && (
        <Section
          title={isForAll ? 'Stop all apps' : 'Stop this app'}
          description="Stops all spending immediately, including requests in progress. Credits, allowances and limits are kept."
        >
          <StopButton partnerId={partnerId} name={name} isStopped={isStopped} />
        </Section>
      )}
      {ofApp !== null && (
        <Section
          title="Limits set by the app"
          description={`Only ${name} can change them. Days and months are in UTC.`}
        >
          <LimitBars limit={ofApp} />
        </Section>
      )}
      <div id="limits" className="scroll-mt-6">
        <Section
          title={isForAll ? 'Limits of all apps together' : 'Limits'}
          description={`How much ${name} may spend. Includes amounts held for requests in progress. Weeks begin on Monday.`}
        >
          {saved !== null && (
            <div className="mb-6">
              <LimitBars limit={saved} />
            </div>
          )}
          <MyLimitForm
            // A saved form starts again with what was saved.
            key={JSON.stringify([zone, typed])}
            partnerId={partnerId}
            name={name}
            saved={typed}
            zone={zone}
            zones={Intl.supportedValuesOf('timeZone')}
            models={choosableModels().map(({ id, name: label }) => ({ id, label }))}
          />
        </Section>
      </div>
    </>
  );
}
