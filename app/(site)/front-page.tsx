import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageLink } from '@/app/_ui/page-link';
import { isLive, settings } from '@/server/base/env';
import { estimateCredits } from '@/server/gateway/pricing/estimate';
import { buttonClass } from '../_ui/button';
import { CodeBlock } from './parts/code-block';
import { formatRequestCredits, formatTokens, formatUsd } from './parts/numbers';
import { isSandbox, type PriceRow, priceRows } from './parts/price-rows';
import { SiteFrame } from './parts/site-frame';
import { ReceiptCard } from './receipt-card';

const USER_POINTS = [
  [
    'One balance for all apps',
    'Credits belong to you, not to an app. 100 credits are 1 US dollar, and they never expire.',
  ],
  ['You set the allowance', 'An app can spend what you bought in it and, beyond that, only what you allow.'],
  [
    'A receipt for every request',
    'Tokens, provider cost and app commission add up to exactly what you paid.',
  ],
];

const APP_POINTS = [
  ['No AI bill', 'Your users pay for their own requests. No monthly fee, no provider keys.'],
  ['Earn on every request', 'Set a commission on the provider cost. Every estimate includes it.'],
  [
    'Works with your SDKs',
    'OpenAI and Anthropic request formats, with streaming, tools and images. Use the official SDKs unchanged.',
  ],
];

const STEPS = [
  [
    'A user buys credits',
    'One script adds the checkout to your page. Users sign in with a code sent by e-mail.',
  ],
  ['Your app sends a request', 'One base URL and one key for every model.'],
  [
    'The user pays for the tokens',
    'Exactly once, for what was produced. If the provider fails before any output, the request is free.',
  ],
];

const PROMISES = [
  [
    'Never below zero',
    'The most a request can cost, including commission, is held before it reaches a provider.',
  ],
  ['Never charged twice', 'Each request is settled once, despite retries, restarts and disconnects.'],
  [
    'No guessed prices',
    'Models without a complete price are not served. Prices are versioned, and every receipt names its version.',
  ],
  ['Immediate revocation', 'A revoked key fails on the very next request, on every server.'],
];

/** Introduces the service to users and to developers of apps. */
export function FrontPage() {
  const { BASE_URL: base, SDK_URL: sdk } = settings();
  const rows = priceRows();
  const excerpt = chooseExcerpt(rows);
  return (
    <SiteFrame current="front">
      <main id="content" tabIndex={-1} className="outline-none">
        <section className="grid items-center gap-12 py-14 sm:py-20 lg:grid-cols-[1fr_400px] lg:gap-16 lg:py-28">
          <div>
            <h1 className="max-w-[14ch] text-[40px] leading-[1.06] font-semibold tracking-[-0.035em] sm:text-[60px]">
              Prepaid credits for every AI app
            </h1>
            <p className="mt-6 max-w-[50ch] text-lg leading-relaxed text-muted">
              Users buy credits once and spend them in any app. Apps get every AI model without an AI bill,
              and earn a commission on each request.
            </p>
            <div className="mt-8 flex flex-wrap gap-3">
              <PageLink href="/docs" className={buttonClass({ size: 'large' })}>
                Add it to your app
              </PageLink>
              {!isLive() && (
                <a href="/demo" className={buttonClass({ size: 'large', look: 'secondary' })}>
                  Try the demo app
                </a>
              )}
            </div>
            <p className="mt-5 text-muted">
              Looking for your own credits?{' '}
              <a href="/account" className="text-accent underline underline-offset-[3px]">
                Open your account
              </a>
            </p>
          </div>
          {excerpt[0] && <ReceiptCard model={excerpt[0]} />}
        </section>

        <Steps />

        <Audiences />

        <FirstRequest base={base} sdk={sdk} />

        <Prices rows={rows} excerpt={excerpt} />

        <Promises />

        <section className="rounded-2xl bg-sunken px-6 py-8 sm:grid sm:grid-cols-[1fr_300px] sm:items-center sm:gap-10 sm:px-10">
          <div>
            <h2 className="text-xl font-semibold">Run your own</h2>
            <p className="mt-2 max-w-[60ch] text-muted">
              One process with an embedded database. Models, payments and mail run in a sandbox until you set
              real credentials. Add PostgreSQL, Stripe and SMTP one at a time.
            </p>
          </div>
          <div className="mt-5 min-w-0 sm:mt-0">
            <CodeBlock title="Node 20" language="sh" code="npm start" />
          </div>
        </section>
      </main>
    </SiteFrame>
  );
}

function Steps() {
  return (
    <Band title="How it works">
      <ol className="grid gap-8 sm:grid-cols-3">
        {STEPS.map(([name, text], i) => (
          <li key={name}>
            <span aria-hidden="true" className="font-mono text-sm text-accent">
              {i + 1}
            </span>
            <h3 className="mt-2 font-medium">{name}</h3>
            <p className="mt-1 text-muted">{text}</p>
          </li>
        ))}
      </ol>
    </Band>
  );
}

function Audiences() {
  return (
    <div className="grid gap-5 border-t border-line py-14 lg:grid-cols-2">
      <Audience title="For users" points={USER_POINTS}>
        <a href="/account" className={buttonClass({ look: 'secondary' })}>
          View your credits
        </a>
      </Audience>
      <Audience title="For apps" points={APP_POINTS} id="partners">
        <a href="/partner" className={buttonClass({ look: 'secondary' })}>
          Open the partner dashboard
        </a>
      </Audience>
    </div>
  );
}

function Promises() {
  return (
    <Band title="What you can rely on">
      <dl className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
        {PROMISES.map(([name, text]) => (
          <div key={name}>
            <dt className="font-medium">{name}</dt>
            <dd className="mt-1 text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </Band>
  );
}

function FirstRequest({ base, sdk }: { base: string; sdk: string }) {
  return (
    <Band title="Two steps to your first paid request">
      <div className="grid gap-5 lg:grid-cols-2">
        <CodeBlock title="1. Your page" language="html" code={pageSnippet(sdk)} />
        <CodeBlock title="2. Your request" language="js" code={requestSnippet(base)} />
      </div>
      <p className="mt-5 text-muted">
        Also for Python, the Vercel AI SDK, LangChain, Claude Code and plain HTTP.{' '}
        <PageLink href="/docs/clients" className="text-accent underline underline-offset-[3px]">
          See all clients
        </PageLink>
      </p>
    </Band>
  );
}

function Prices({ rows, excerpt }: { rows: PriceRow[]; excerpt: PriceRow[] }) {
  return (
    <Band title="Prices">
      <PriceExcerpt rows={excerpt} />
      <p className="mt-5">
        <PageLink href="/pricing" className={buttonClass({ look: 'secondary' })}>
          All {rows.length} models
        </PageLink>
      </p>
    </Band>
  );
}

function Band({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-t border-line py-14">
      <h2 className="mb-8 text-2xl font-semibold tracking-tight">{title}</h2>
      {children}
    </section>
  );
}

type AudienceProps = { title: string; id?: string; points: string[][]; children: ReactNode };

function Audience({ title, id, points, children }: AudienceProps) {
  return (
    <section id={id} className="flex scroll-mt-24 flex-col rounded-2xl border border-line p-6 sm:p-8">
      <h2 className="text-2xl font-semibold tracking-tight">{title}</h2>
      <ul className="mt-6 mb-8 grid gap-5">
        {points.map(([name, text]) => (
          <li key={name} className="flex gap-3">
            <Check size={18} aria-hidden="true" className="mt-1 shrink-0 text-positive" />
            <div>
              <p className="font-medium">{name}</p>
              <p className="mt-0.5 text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>
      <p className="mt-auto">{children}</p>
    </section>
  );
}

const REQUEST = { input: 2_500, output: 500 };
const COMMISSION = 2_500;

function PriceExcerpt({ rows }: { rows: PriceRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section aria-label="Price table" tabIndex={0} className="overflow-x-auto rounded-xl border border-line">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">
          Selected models with context window, price in USD per million tokens, and the credits for a request
          of 2,500 input and 500 output tokens at 25% commission
        </caption>
        <thead>
          <tr className="border-b border-line text-right text-[13px] text-muted">
            <th scope="col" className="px-5 py-3 text-left font-medium">
              Model
            </th>
            <th scope="col" className="px-3 py-3 font-medium max-sm:hidden">
              Context
            </th>
            <th scope="col" className="px-3 py-3 font-medium max-sm:hidden">
              Input
            </th>
            <th scope="col" className="px-3 py-3 font-medium max-sm:hidden">
              Output
            </th>
            <th scope="col" className="px-5 py-3 font-medium">
              Per request
            </th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.map((row) => (
            <tr key={row.id} className="border-b border-line/70 text-right last:border-0">
              <th scope="row" className="px-5 py-3 text-left font-medium">
                {row.name}
                <span className="block font-mono text-xs font-normal text-muted">{row.id}</span>
              </th>
              <td className="px-3 py-3 max-sm:hidden">{formatTokens(row.contextWindow)}</td>
              <td className="px-3 py-3 max-sm:hidden">{formatUsd(row.input)}</td>
              <td className="px-3 py-3 max-sm:hidden">{formatUsd(row.output)}</td>
              <td className="px-5 py-3 whitespace-nowrap">
                {formatRequestCredits(estimateCredits(row, REQUEST, COMMISSION))} credits
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const EXCERPT_ROWS = 6;

/** The newest language model of each provider, as many as fit; only served models, if there are any. */
function chooseExcerpt(rows: PriceRow[]): PriceRow[] {
  const real = rows.filter((row) => row.type === 'language' && !isSandbox(row));
  const served = real.filter(({ isServed }) => isServed);
  const makers = new Map<string, PriceRow>();
  for (const row of served.length > 0 ? served : real)
    if (!makers.has(row.provider)) makers.set(row.provider, row);
  const known = [...makers.values()];
  const chosen = MAKERS.flatMap((name) => makers.get(name) ?? []);
  return [...new Set([...chosen, ...known])].slice(0, EXCERPT_ROWS);
}

/** The most popular providers come first. */
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'xai'];

const pageSnippet = (sdk: string): string => `<script src="${sdk}"></script>
<script>
  Svc.init({
    publishableKey: 'svc_pk_…',
    onCreditsAdded: ({ user_key, balance }) => start(user_key),
  });
</script>
<button onclick="Svc.open()">Buy credits</button>`;

const requestSnippet = (base: string): string => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${base}/v1',
  apiKey: userKey,
});
const stream = await client.chat.completions.create({
  model: 'sandbox/story',
  messages: [{ role: 'user', content: 'Tell me a story' }],
  stream: true,
});`;
