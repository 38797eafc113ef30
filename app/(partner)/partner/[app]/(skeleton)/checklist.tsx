import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import type { FirstSteps } from '@/server/partners/first-steps';
import { CodeBlock } from '../code-block';
import { writeSnippet } from '../snippet';
import { Dismissable } from './dismissable';
import { RefreshOnReturn } from './refresh-on-return';

type Props = {
  partnerId: string;
  publishableKey: string;
  scriptUrl: string;
  isSandbox: boolean;
  requestSnippet: string;
  steps: FirstSteps;
};

/** The steps from a new app to its first paid request. Each is checked off once it has happened. */
export function Checklist({ partnerId, publishableKey, scriptUrl, isSandbox, requestSnippet, steps }: Props) {
  const list = [
    {
      isDone: steps.hasOrigin,
      title: 'Register your site’s origin',
      text: 'The checkout only opens on origins you register. localhost always works, so you can do this when you go live.',
      action: <StepLink href={`/partner/${partnerId}/integration`}>Add an origin</StepLink>,
    },
    {
      isDone: steps.hasOpenedCheckout,
      title: 'Add the checkout to a page',
      text: 'Paste this into your page. Your publishable key is filled in. This step completes when the checkout is first opened.',
      action: <CodeBlock label="Snippet" code={writeSnippet(publishableKey, scriptUrl)} />,
    },
    {
      isDone: steps.hasPurchase,
      title: isSandbox ? 'Make a test purchase' : 'Make a first purchase',
      text: isSandbox ? (
        <>
          Open the checkout and pay with card{' '}
          <code className="font-mono whitespace-nowrap">4242 4242 4242 4242</code>, any date and any CVC. The
          sign-in code arrives in the{' '}
          <a href="/dev/mail" target="_blank" rel="noreferrer" className="text-accent underline">
            test mailbox
          </a>
          . No real money moves.
        </>
      ) : (
        'Open the checkout on your page and buy credits the way your users will.'
      ),
    },
    {
      isDone: steps.hasRequest,
      title: 'Send a request',
      text: (
        <>
          Paste this into your page’s browser console: it uses the key from your purchase. On a backend, the
          key works with{' '}
          <PageLink href="/docs/clients" className="text-accent underline">
            the SDKs you already use
          </PageLink>
          .
        </>
      ),
      action: <CodeBlock label="JavaScript" code={requestSnippet} />,
    },
    {
      isDone: steps.hasWebhook,
      title: 'Set up webhooks',
      text: 'Your backend receives new keys and purchases even if the browser was closed early.',
      action: <StepLink href={`/partner/${partnerId}/webhooks`}>Set an endpoint</StepLink>,
    },
  ];
  const done = list.filter(({ isDone }) => isDone).length;
  if (done === list.length) return null;
  const next = list.findIndex(({ isDone }) => !isDone);
  return (
    <Dismissable
      partnerId={partnerId}
      isActive={steps.hasRequest}
      description={`${done} of ${list.length} done`}
    >
      <RefreshOnReturn isWatching={!steps.hasRequest} />
      <ol>
        {list.map((step, index) => (
          <Step key={step.title} number={index + 1} isNext={index === next} {...step} />
        ))}
      </ol>
    </Dismissable>
  );
}

type StepProps = {
  number: number;
  isDone: boolean;
  isNext: boolean;
  title: string;
  text: ReactNode;
  action?: ReactNode;
};

function Step({ number, isDone, isNext, title, text, action }: StepProps) {
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className={`flex gap-4 border-t border-line/70 px-5 first:border-0 ${isDone ? 'py-3' : 'py-5'}`}
    >
      <span
        className={`mt-0.5 grid size-6 shrink-0 place-items-center rounded-full text-[13px] font-medium ${isDone ? 'bg-positive text-on-accent' : isNext ? 'bg-accent text-on-accent' : 'bg-sunken text-muted'}`}
      >
        {isDone ? <Check size={14} strokeWidth={3} aria-label="Done:" /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className={isDone ? 'text-muted' : 'font-medium'}>{title}</h3>
        {!isDone && <p className="mt-1 max-w-[64ch] text-sm text-muted">{text}</p>}
        {!isDone && action && <div className="mt-3">{action}</div>}
      </div>
    </li>
  );
}

function StepLink({ href, children }: { href: string; children: string }) {
  return (
    <PageLink href={href} className={buttonClass({ look: 'secondary', size: 'small' })}>
      {children}
    </PageLink>
  );
}
