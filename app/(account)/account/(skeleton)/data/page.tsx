import { DatabaseZap } from 'lucide-react';
import type { Metadata } from 'next';
import { ATTEMPT_OUTCOMES } from '@/app/_requests/attempts';
import { requireSession } from '@/app/_session/session';
import { DataRulesForm } from '@/app/_ui/data-rules-form';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import {
  type ListedUnanswered,
  listUnanswered,
  UNANSWERED_KEPT_DAYS,
} from '@/server/gateway/counts/unanswered-requests';
import { countByRules, servedModels } from '@/server/gateway/pricing/served';
import { readUserDataRules } from '@/server/people/data-rules';
import { type Kept, listKept } from '@/server/reports/account-data/kept';
import { listProvidersOf } from '@/server/reports/account-data/providers-of';
import { saveMyDataRules } from './actions';
import { DownloadButton } from './download-button';
import { ProviderTable } from './provider-table';

export const metadata: Metadata = { title: 'Your data' };

const SHOWN = 20;

/** Who saw a user's requests, what is stored about the user, and all of it as a file. */
export default async function DataPage() {
  const { userId } = await requireSession();
  const [providers, unanswered, rules] = await Promise.all([
    listProvidersOf(userId),
    listUnanswered(userId, SHOWN),
    readUserDataRules(userId),
  ]);
  return (
    <>
      <PageHead
        title="Your data"
        description="Which providers your requests were sent to, what they say about the content, and what this service stores."
      />
      <Section
        title="Providers"
        description="Each may have processed your prompts and responses. The receipt of a request names its providers. Counting tokens also sends a prompt to the provider of its model, without a receipt. Dates are in UTC."
        flush
      >
        <ProviderTable
          rows={providers}
          empty={
            <EmptyState icon={<DatabaseZap size={22} aria-hidden="true" />} title="No requests yet">
              Providers appear here once an app sends requests for you.
            </EmptyState>
          }
        />
      </Section>
      {unanswered.length > 0 && <Unanswered requests={unanswered} />}
      <Section
        title="Data rules"
        description="They apply to every app and every model. A request that no provider may receive is refused and not charged. Apps and this service can set stricter rules."
      >
        <DataRulesForm rules={rules} counts={countByRules(servedModels())} save={saveMyDataRules} />
      </Section>
      <Section title="What is stored here" description="With the current settings of this service." flush>
        <KeptTable rows={listKept()} />
      </Section>
      <Section
        title="Download"
        description="Everything in your account as one JSON file: devices, apps, keys without their secrets, limits, purchases, receipts with the providers, and more. It contains no prompts and no responses."
      >
        <DownloadButton />
        <p className="mt-4 text-sm text-muted">
          <PageLink href="/docs/data" className="underline">
            What the file contains
          </PageLink>
        </p>
      </Section>
      <Section
        title="Deletion"
        description="Deleting your account erases your e-mail address and billing details, and signs out every device and app."
      >
        <PageLink href="/account/settings" className="text-sm underline">
          Delete my account in Settings
        </PageLink>
      </Section>
    </>
  );
}

function Unanswered({ requests }: { requests: ListedUnanswered[] }) {
  return (
    <Section
      title="Requests without a response"
      description={`They were not charged and have no receipt, but providers may have read them. Shows the latest of the last ${UNANSWERED_KEPT_DAYS} days.`}
      flush
    >
      <ul className="text-sm">
        {requests.map(({ requestId, model, appName, at, attempts }) => (
          <li key={requestId} className="border-b border-line/70 px-5 py-3 last:border-0">
            <p className="flex flex-wrap justify-between gap-x-6">
              <span className="font-medium break-all">{model}</span>
              <span className="text-muted">
                {appName}, <Time at={at.toISOString()} />
              </span>
            </p>
            <p className="mt-0.5 text-muted">
              {attempts
                .map(({ provider, outcome }) => `${provider}: ${ATTEMPT_OUTCOMES[outcome].toLowerCase()}`)
                .join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const CELL = 'px-3 py-3 text-left align-top first:pl-5 last:pr-5';

function KeptTable({ rows }: { rows: Kept[] }) {
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">What this service stores, and how long</caption>
      <thead>
        <tr className="border-b border-line text-[13px] text-muted">
          <th scope="col" className={`${CELL} font-medium`}>
            What
          </th>
          <th scope="col" className={`${CELL} font-medium`}>
            How long
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ what, how, until }) => (
          <tr key={what} className="border-b border-line/70 last:border-0">
            <th scope="row" className={`${CELL} font-normal`}>
              {what}
              <span className="block text-[13px] text-muted">{how}</span>
            </th>
            <td className={CELL}>{until}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
