import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageLink } from '@/app/_ui/page-link';
import { isLive, settings } from '@/server/env';
import { estimateCredits } from '@/server/pricing/estimate';
import { buttonClass } from '../_ui/button';
import { CodeBlock } from './parts/code-block';
import { formatRequestCredits, formatTokens, formatUsd } from './parts/numbers';
import { isSandbox, type PriceRow, priceRows } from './parts/price-rows';
import { SiteFrame } from './parts/site-frame';
import { ReceiptCard } from './receipt-card';

const USER_POINTS = [
  [
    'One balance for all apps',
    'Credits are yours, not an app’s. 100 credits are 1 US dollar; they do not expire.',
  ],
  ['You set the limits', 'An app spends what you bought in it and, beyond that, only what you allow.'],
  [
    'A receipt for every request',
    'Tokens, the provider’s price, the app’s commission: it adds up to what you paid.',
  ],
];

const APP_POINTS = [
  ['No bill for you', 'Your users pay for their own requests. No monthly fee, no key of a provider.'],
  [
    'You earn on each request',
    'Set a commission on the provider’s price. It is in every estimate before it is spent.',
  ],
  [
    'The clients you know',
    'Both request formats, streaming, tools and images; the official SDKs work as they are.',
  ],
];

const STEPS = [
  [
    'Someone buys credits',
    'In a checkout that your page opens with one script. They sign in with a code sent by e-mail.',
  ],
  ['Your app asks a model', 'With that user’s key, at one address, for every model of every provider.'],
  [
    'The tokens are charged',
    'Once, exactly, when the answer is whole. What a provider fails to answer costs nothing.',
  ],
];

const PROMISES = [
  [
    'Never below zero',
    'The worst case of a request is set aside before a provider is asked, commission included.',
  ],
  ['Never charged twice', 'Each request is settled once, whatever is retried, restarted or disconnected.'],
  [
    'Never a guessed price',
    'A model without a complete price is not served. Prices have versions; a receipt names its own.',
  ],
  ['Revoked means revoked', 'A key that you end fails on the very next request, on every server.'],
];

/** What the service is, for the two kinds of people who come here. */
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
              People buy credits once and use them in any app. Apps get every AI model without a bill of their
              own, and earn a commission on each request.
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
              Here for credits of your own?{' '}
              <a href="/account" className="text-accent underline underline-offset-[3px]">
                Open your account
              </a>
            </p>
          </div>
          {excerpt[0] && <ReceiptCard model={excerpt[0]} />}
        </section>

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

        <div className="grid gap-5 border-t border-line py-14 lg:grid-cols-2">
          <Audience title="For people" points={USER_POINTS}>
            <a href="/account" className={buttonClass({ look: 'secondary' })}>
              See your credits
            </a>
          </Audience>
          <Audience title="For apps" points={APP_POINTS} id="partners">
            <a href="/partner" className={buttonClass({ look: 'secondary' })}>
              Open the partner dashboard
            </a>
          </Audience>
        </div>

        <Band title="Two steps to the first paid request">
          <div className="grid gap-5 lg:grid-cols-2">
            <CodeBlock title="1. Your page" language="html" code={pageSnippet(sdk)} />
            <CodeBlock title="2. Your request" language="js" code={requestSnippet(base)} />
          </div>
          <p className="mt-5 text-muted">
            Python, the Vercel AI SDK, LangChain, Claude Code and plain HTTP:{' '}
            <PageLink href="/docs/clients" className="text-accent underline underline-offset-[3px]">
              all clients
            </PageLink>
            .
          </p>
        </Band>

        <Band title="Prices">
          <PriceExcerpt rows={excerpt} />
          <p className="mt-5">
            <PageLink href="/pricing" className={buttonClass({ look: 'secondary' })}>
              All {rows.length} models
            </PageLink>
          </p>
        </Band>

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

        <section className="rounded-2xl bg-sunken px-6 py-8 sm:grid sm:grid-cols-[1fr_300px] sm:items-center sm:gap-10 sm:px-10">
          <div>
            <h2 className="text-xl font-semibold">Run your own</h2>
            <p className="mt-2 max-w-[60ch] text-muted">
              One process with its database inside; models, payments and mail play in a sandbox until you set
              the real credentials. PostgreSQL, Stripe and SMTP take their places one by one.
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label="Some prices" tabIndex={0} className="overflow-x-auto rounded-xl border border-line">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">
          Some models: context, USD per million tokens, and credits of a request of 2,500 tokens in and 500
          out with 25 % commission
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
              A request
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

/** The newest model of as many makers as there is room for: those that are served, if any is. */
function chooseExcerpt(rows: PriceRow[]): PriceRow[] {
  const real = rows.filter((row) => !isSandbox(row));
  const served = real.filter(({ isServed }) => isServed);
  const makers = new Map<string, PriceRow>();
  for (const row of served.length > 0 ? served : real)
    if (!makers.has(row.provider)) makers.set(row.provider, row);
  const known = [...makers.values()];
  const chosen = MAKERS.flatMap((name) => makers.get(name) ?? []);
  return [...new Set([...chosen, ...known])].slice(0, EXCERPT_ROWS);
}

/** Those that people look for come first. */
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
