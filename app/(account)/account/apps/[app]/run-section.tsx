import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { listRuns } from '@/server/people/keys/runs-of-user';
import { RunTable } from './run-table';

const SHOWN = 50;

type Props = { userId: string; partnerId: string; appName: string };

/** What the latest runs of the app spent. Nothing without any. */
export async function RunSection({ userId, partnerId, appName }: Props) {
  const runs = await listRuns({ userId, partnerId }, SHOWN);
  if (runs.length === 0) return null;
  return (
    <Section
      title="Runs"
      description={`Requests that ${appName} grouped under one name, and what they spent together.`}
      flush
    >
      <RunTable
        appName={appName}
        rows={runs.map(({ id, keyId, keyLast4, keyLabel, spent, credits, used, lastAt }) => ({
          id,
          keyId,
          keyName: keyLabel ?? (keyLast4 === null ? null : `svc_sk_…${keyLast4}`),
          spent: creditsToJson(spent),
          credits: credits === null ? null : creditsToJson(credits),
          used,
          lastAt: lastAt.toISOString(),
        }))}
      />
    </Section>
  );
}
