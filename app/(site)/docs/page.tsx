import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { isLive, settings } from '@/server/env';
import { CodeBlock } from '../parts/code-block';
import { AnchoredHeading, InlineCode, TextLink } from '../parts/markdown';
import { readSnippet } from './guides';
import { WithHeadings } from './on-this-page';

export const metadata: Metadata = {
  title: 'Quickstart',
  description: 'From a publishable key to the first paid request.',
};

const STEPS = [
  { id: 'key', title: 'Get a publishable key' },
  { id: 'checkout', title: 'Put the checkout on your page' },
  { id: 'request', title: 'Ask a model' },
  { id: 'refusals', title: 'Open the checkout when credits are missing' },
  { id: 'backend', title: 'Keep your backend informed' },
];

export default function QuickstartPage() {
  const { BASE_URL: base, BRAND_NAME: brand } = settings();
  return (
    <WithHeadings headings={STEPS}>
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">Quickstart</h1>
      <p className="mt-3 text-lg leading-relaxed text-muted">
        {brand} lets your users bring their own prepaid credits. You get every model without a bill of your
        own, and a commission on each request.
      </p>
      <p className="mt-4 leading-relaxed">
        Two keys are all there is to know. The <strong>publishable key</strong>{' '}
        <InlineCode>svc_pk_…</InlineCode> names your app and may stand in a page. A <strong>user key</strong>{' '}
        <InlineCode>svc_sk_…</InlineCode> is secret, belongs to one user in your app, and pays for requests.
      </p>

      <Step place={1}>
        <p>
          <TextLink href="/partner">Open the partner dashboard</TextLink>, name your app, set its commission
          and register the origins of its pages, such as <InlineCode>https://app.example.com</InlineCode>.
          Pages on <InlineCode>localhost</InlineCode> always work. On an install of your own the command line
          does the same:
        </p>
        <CodeBlock language="sh" code='npm run svc -- partner create --name "My app" --rate 25' />
      </Step>

      <Step place={2}>
        <p>
          One script opens a checkout in which people sign in, buy credits, and allow your app to use credits
          they bought elsewhere. Your page learns of it by callbacks. For React there is{' '}
          <TextLink href="/docs/widget#react-and-bundlers">a hook</TextLink>.
        </p>
        <CodeBlock language="html" code={readSnippet('A page', 'html')} />
        {!isLive() && (
          <p>
            This install plays in a sandbox: pay with the card <InlineCode>4242 4242 4242 4242</InlineCode>,
            any later date and any three digits, and read the sign-in code in the{' '}
            <TextLink href="/dev/mail">test mailbox</TextLink>.
          </p>
        )}
      </Step>

      <Step place={3}>
        <p>
          Use any client of the chat or the messages format with the address{' '}
          <InlineCode>{`${base}/v1`}</InlineCode> and the user key. Models are named{' '}
          <InlineCode>provider/model</InlineCode>; <InlineCode>sandbox/story</InlineCode> answers without a
          provider.
        </p>
        <CodeBlock language="sh" code={readSnippet('curl', 'sh')} />
        <p>
          The same in Python, JavaScript, the Vercel AI SDK, LangChain and Claude Code:{' '}
          <TextLink href="/docs/clients">Clients</TextLink>. What it cost is in the header{' '}
          <InlineCode>x-svc-credits-charged</InlineCode>, in the{' '}
          <TextLink href="/docs/api/credits">history</TextLink>, and in the receipt of each request.
        </p>
      </Step>

      <Step place={4}>
        <p>
          A <InlineCode>402</InlineCode> means that the user has to decide something. Open the checkout with{' '}
          <InlineCode>Svc.open()</InlineCode>; it knows what to ask. In code:{' '}
          <TextLink href="/docs/widget#spend">Spend</TextLink>.
        </p>
        <ul className="grid list-disc gap-2 pl-6">
          <li>
            <InlineCode>insufficient_credits</InlineCode>: buy credits.
          </li>
          <li>
            <InlineCode>partner_not_permitted</InlineCode>: there are credits from elsewhere; allow your app
            to use them, or buy here.
          </li>
          <li>
            <InlineCode>partner_limit_reached</InlineCode>: raise the limit, or buy here.
          </li>
        </ul>
        <p>
          A <InlineCode>429</InlineCode> is not about money: wait for <InlineCode>Retry-After</InlineCode> and
          try again. All codes: <TextLink href="/docs/errors">Errors</TextLink>.
        </p>
      </Step>

      <Step place={5}>
        <p>
          A server learns of keys and purchases from signed webhooks, also when the user closed the page.
          Track keys by <InlineCode>key_id</InlineCode> and users by <InlineCode>user_id</InlineCode>; you
          never see an e-mail address. The <TextLink href="/docs/api/webhooks">events</TextLink>.
        </p>
      </Step>
    </WithHeadings>
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
