import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { readExample, readSnippet } from '@/server/api/docs/guides';
import { isLive, settings } from '@/server/base/env';
import { CodeBlock } from '../parts/code-block';
import { AnchoredHeading, InlineCode, TextLink } from '../parts/markdown';
import { WithHeadings } from './on-this-page';

export const metadata: Metadata = {
  title: 'Quickstart',
  description: 'From a publishable key to your first paid request.',
};

const STEPS = [
  { id: 'key', title: 'Get a publishable key' },
  { id: 'checkout', title: 'Add the checkout to your page' },
  { id: 'request', title: 'Send a request' },
  { id: 'refusals', title: 'Open the checkout when credits run out' },
  { id: 'backend', title: 'Receive webhooks' },
];

export default function QuickstartPage() {
  return (
    <WithHeadings headings={STEPS}>
      <Introduction />
      <Installation />
      <Requests />
    </WithHeadings>
  );
}

function Introduction() {
  const { BRAND_NAME: brand } = settings();
  return (
    <>
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">Quickstart</h1>
      <p className="mt-3 text-lg leading-relaxed text-muted">
        With {brand}, your users bring their own prepaid credits. You get every model without an AI bill, and
        a commission on each request.
      </p>
      <p className="mt-4 leading-relaxed">
        There are two kinds of keys. Your <strong>publishable key</strong> <InlineCode>svc_pk_…</InlineCode>{' '}
        identifies your app and is safe to use in a page. A <strong>user key</strong>{' '}
        <InlineCode>svc_sk_…</InlineCode> is secret, belongs to one user of your app, and pays for requests.
      </p>
    </>
  );
}

function Installation() {
  return (
    <>
      <Step place={1}>
        <p>
          <TextLink href="/partner">Open the partner dashboard</TextLink>, name your app, set its commission
          and register the origins of its pages, such as <InlineCode>https://app.example.com</InlineCode>.
          Pages on <InlineCode>localhost</InlineCode> always work.
        </p>
      </Step>

      <Step place={2}>
        <p>
          One script opens a checkout where users sign in, buy credits, and allow your app to use credits they
          bought elsewhere. This page is complete: copy it, replace <InlineCode>svc_pk_…</InlineCode>, and
          serve it on <InlineCode>localhost</InlineCode>. For React and other frameworks, there are{' '}
          <TextLink href="/docs/widget#start-from-a-template">templates</TextLink> and{' '}
          <TextLink href="/docs/widget#the-package">components</TextLink>.
        </p>
        <CodeBlock language="html" code={readExample()} />
        <p>
          Until an operator approves the name of your app, the checkout shows it with the origin of the page,
          so that nobody pays an app that only uses the name of another.
        </p>
        {!isLive() && (
          <p>
            This installation runs in sandbox mode. Pay with the card{' '}
            <InlineCode>4242 4242 4242 4242</InlineCode>, any future date and any three digits. The sign-in
            code arrives in the <TextLink href="/dev/mail">test mailbox</TextLink>.
          </p>
        )}
      </Step>
    </>
  );
}

function Requests() {
  const { BASE_URL: base } = settings();
  return (
    <>
      <Step place={3}>
        <p>
          Use any OpenAI client with the base URL <InlineCode>{`${base}/v1`}</InlineCode>, or any Anthropic
          client with <InlineCode>{base}</InlineCode>, and the user key. Model ids have the form{' '}
          <InlineCode>provider/model</InlineCode>; <InlineCode>sandbox/story</InlineCode> works without a
          provider key.
        </p>
        <CodeBlock language="sh" code={readSnippet('curl', 'sh')} />
        <p>
          <TextLink href="/docs/clients">Clients</TextLink> shows the same request in Python, JavaScript, the
          Vercel AI SDK, LangChain and Claude Code. The header <InlineCode>x-svc-credits-charged</InlineCode>,
          the <TextLink href="/docs/api/credits">history</TextLink> and the receipt of each request show its
          cost.
        </p>
      </Step>

      <Step place={4}>
        <p>
          A <InlineCode>402</InlineCode> means that the user needs to make a decision. Open the checkout with{' '}
          <InlineCode>Svc.open()</InlineCode>: it asks the user for what is needed.{' '}
          <TextLink href="/docs/widget#send-requests">Send requests</TextLink> shows the code.
        </p>
        <ul className="grid list-disc gap-2 pl-6">
          <li>
            <InlineCode>insufficient_credits</InlineCode>: the user needs to buy credits.
          </li>
          <li>
            <InlineCode>partner_not_permitted</InlineCode>: the user has credits from elsewhere, and can allow
            your app to use them or buy new ones.
          </li>
          <li>
            <InlineCode>partner_limit_reached</InlineCode>: the user can raise the allowance or buy credits.
          </li>
        </ul>
        <p>
          A <InlineCode>429</InlineCode> has nothing to do with money: wait for{' '}
          <InlineCode>Retry-After</InlineCode> and retry. <TextLink href="/docs/errors">Errors</TextLink>{' '}
          lists all codes.
        </p>
      </Step>

      <Step place={5}>
        <p>
          Signed webhooks notify your server of keys and purchases, even if the user closes the page. Track
          keys by <InlineCode>key_id</InlineCode> and users by <InlineCode>user_id</InlineCode>; you never see
          an e-mail address. See <TextLink href="/docs/api/webhooks">all events</TextLink>.
        </p>
      </Step>
    </>
  );
}

function Step({ place, children }: { place: number; children: ReactNode }) {
  const step = STEPS[place - 1];
  if (step === undefined) return null;
  return (
    <section className="mt-10 grid min-w-0 gap-4 leading-relaxed">
      <AnchoredHeading as="h2" id={step.id} className="text-xl font-semibold">
        {place}. {step.title}
      </AnchoredHeading>
      {children}
    </section>
  );
}
