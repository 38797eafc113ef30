import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { hasRight } from '@/server/partners/rights';
import { type AttemptView, findDelivery } from '@/server/partners/webhooks/delivery-log';
import { DELIVERY_WORDS, describeOutcome } from '../../(skeleton)/webhooks/delivery-words';
import { Response } from '../../(skeleton)/webhooks/response';
import { CodeBlock } from '../../code-block';
import { requireMember } from '../../require-app';
import { ResendButton } from './resend-button';

export const metadata: Metadata = { title: 'Delivery' };

type Props = { params: Promise<{ app: string; event: string }> };

/** One event: what was sent, and the outcome of each attempt. */
export default async function DeliveryPage({ params }: Props) {
  const { app, role } = await requireMember({ params });
  const delivery = (await findDelivery(app.id, (await params).event)) ?? notFound();
  const { label, look } = DELIVERY_WORDS[delivery.status];
  return (
    <>
      <PageHead
        back={{ href: `/partner/${app.id}/webhooks`, label: 'Webhooks' }}
        title={delivery.type}
        actions={
          hasRight(role, 'develop') && (
            <ResendButton
              partnerId={app.id}
              eventId={delivery.eventId}
              canResend={delivery.canResend}
              isRunning={delivery.isRunning}
            />
          )
        }
      />
      <Section title="Event">
        <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[max-content_1fr]">
          <Fact name="Id">
            <code className="font-mono text-[13px] break-all">{delivery.eventId}</code>
          </Fact>
          <Fact name="Status">
            <Badge look={look}>{label}</Badge>
          </Fact>
          <Fact name="Created">
            <Time at={delivery.createdAt.toISOString()} />
          </Fact>
          {delivery.nextAttemptAt && (
            <Fact name="Next attempt">
              <Time at={delivery.nextAttemptAt.toISOString()} />
            </Fact>
          )}
        </dl>
        <div className="mt-5">
          {delivery.body === '' ? (
            <p className="text-sm text-muted">The body is no longer kept.</p>
          ) : (
            <CodeBlock label="Body" code={indent(delivery.body)} />
          )}
        </div>
      </Section>
      <Section title="Attempts" flush>
        {delivery.attempts.length === 0 ? (
          <EmptyState title="No attempts yet">The first attempt is made immediately.</EmptyState>
        ) : (
          <ol>
            {delivery.attempts.map((attempt) => (
              <Attempt key={attempt.number} {...attempt} />
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Attempt({ number, beganAt, durationMs, status, error, response, isManual }: AttemptView) {
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <li className="border-b border-line/70 px-5 py-4 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-medium">Attempt {number}</span>
        <Badge look={isGood ? 'positive' : 'danger'}>{describeOutcome({ status, error })}</Badge>
        {isManual && <Badge>Resent manually</Badge>}
        <span className="text-muted tabular-nums sm:ml-auto">
          <Time at={beganAt.toISOString()} />
          {durationMs !== null && ` · ${durationMs} ms`}
        </span>
      </div>
      <Response text={response} />
    </li>
  );
}

/** Indented for reading; the body that was sent has no spaces. */
function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
