import type { Metadata } from 'next';
import { Suspense } from 'react';
import { requireOperator } from '@/app/_session/session';
import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { checkSetup, type SetupCheck } from '@/server/payments/checkout/check-setup';
import { describeMissingSeller } from '@/server/payments/invoices/seller';

export const metadata: Metadata = { title: 'Stripe set-up' };

const STATES: Record<SetupCheck['state'], [label: string, look: BadgeLook]> = {
  ok: ['OK', 'positive'],
  warning: ['Warning', 'warning'],
  wrong: ['Wrong', 'danger'],
};

export default async function SetupPage() {
  await requireOperator();
  const invoices = describeMissingSeller();
  return (
    <>
      <PageHead
        title="Stripe set-up"
        description="The status of your Stripe account and what to fix before your first sale."
        back={{ href: '/operator/payments', label: 'Payments' }}
        actions={
          // A whole page load: it asks Stripe again.
          <a
            href="/operator/payments/setup"
            className="inline-flex h-11 items-center rounded-lg border border-line px-3 text-sm font-medium hover:bg-sunken sm:h-9"
          >
            Check again
          </a>
        }
      />
      <Section flush>
        <Suspense
          fallback={
            <p role="status" className="p-5 text-sm text-muted">
              Checking…
            </p>
          }
        >
          <Checks />
        </Suspense>
      </Section>
      {invoices && <Notice>{invoices}</Notice>}
    </>
  );
}

async function Checks() {
  const checks = await checkSetup();
  return (
    <ul>
      {checks.map(({ name, state, found, fix }) => (
        <li
          key={name}
          className="flex items-start gap-4 border-b border-line/70 px-5 py-4 text-sm last:border-0"
        >
          <div className="w-20 shrink-0">
            <Badge look={STATES[state][1]}>{STATES[state][0]}</Badge>
          </div>
          <div className="min-w-0">
            <h2 className="font-medium">{name}</h2>
            <p className="mt-0.5 wrap-anywhere">{found}</p>
            {fix && <p className="mt-0.5 text-muted wrap-anywhere">{fix}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
