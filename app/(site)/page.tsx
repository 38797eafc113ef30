import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { isLive, settings } from '@/server/env';
import { buttonClass } from '../_ui/button';
import { SITE_HEADER } from '../_ui/site-header';
import DemoPage from './demo/page';

const USER_POINTS = [
  [
    'One balance',
    'Credits belong to you, not to an app. 100 credits are 1 US dollar, and they do not expire.',
  ],
  ['Your limits', 'An app spends what you bought in it, and beyond that only what you allow.'],
  ['Exact prices', 'Every request is charged by the tokens it used and listed in your history.'],
];

const PARTNER_POINTS = [
  ['No bill for you', 'Your users pay for their own requests. There is no monthly fee.'],
  ['A share of each request', 'You set a commission on the provider’s price and earn it every time.'],
  ['The API you know', 'OpenAI’s request format on one address, for every model on the list.'],
];

const isDemoHost = async (): Promise<boolean> => (await headers()).get(SITE_HEADER) === 'demo';

export async function generateMetadata(): Promise<Metadata> {
  return (await isDemoHost()) ? { title: 'Demo app' } : {};
}

/** The root of two hosts: the service's own, and the demo app's. */
export default async function RootPage() {
  return (await isDemoHost()) ? <DemoPage /> : <FrontPage />;
}

/** What the service is, for the two kinds of people who come here. */
function FrontPage() {
  const { BRAND_NAME: brand, BASE_URL: base, SDK_URL: sdk, SANDBOX_MAIL_URL: mail } = settings();
  const hasDemo = !isLive();
  return (
    <div className="mx-auto w-full max-w-[920px] px-5 sm:px-8">
      <header className="flex h-20 items-center justify-between">
        <p className="flex items-center gap-2.5 font-semibold">
          <img src="/icon.svg" alt="" width="28" height="28" />
          {brand}
        </p>
        <nav aria-label="Main" className="flex gap-5 text-sm text-muted">
          <a href="#partners" className="-my-3 py-3 hover:text-text">
            For apps
          </a>
          {mail !== undefined && (
            <a href="/dev/mail" className="-my-3 py-3 hover:text-text">
              Test mailbox
            </a>
          )}
        </nav>
      </header>

      <main>
        <section className="py-16 sm:py-24">
          <h1 className="max-w-[17ch] text-[38px] leading-[1.1] font-semibold tracking-[-0.03em] sm:text-[56px]">
            Prepaid credits for every AI app
          </h1>
          <p className="mt-5 max-w-[52ch] text-lg leading-relaxed text-muted">
            Buy credits once and use them in any app that accepts them. Apps get AI models without a bill of
            their own.
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
            {hasDemo && (
              <a href="/demo" className={buttonClass({ size: 'large' })}>
                Try the demo app
              </a>
            )}
            <a href="#partners" className={buttonClass({ size: 'large', look: 'secondary' })}>
              Add it to your app
            </a>
          </div>
        </section>

        <Points title="For you" points={USER_POINTS} />
        <Points title="For apps" id="partners" points={PARTNER_POINTS} />

        <section className="border-t border-line py-14">
          <h2 className="text-xl font-semibold">Two steps to your first paid request</h2>
          <div className="mt-8 grid gap-8">
            <Step title="1. Paste the checkout into your page">
              {`<script src="${sdk}"></script>
<script>
  Svc.init({
    publishableKey: 'svc_pk_…',
    onCreditsAdded: ({ user_key, balance }) => start(user_key),
  });
</script>
<button onclick="Svc.open()">Buy credits</button>`}
            </Step>
            <Step title="2. Call models with the user’s key">
              {`import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: Svc.getUserKey() });
const stream = await client.chat.completions.create({
  model: 'sandbox/story',
  messages: [{ role: 'user', content: 'Tell me a story' }],
  stream: true,
});`}
            </Step>
          </div>
        </section>
      </main>

      <footer className="flex flex-wrap justify-between gap-3 border-t border-line py-8 text-sm text-muted">
        <span>{brand}</span>
        {mail !== undefined && <span>Test mode: no real money moves here</span>}
      </footer>
    </div>
  );
}

function Points({ title, id, points }: { title: string; id?: string; points: string[][] }) {
  return (
    <section
      id={id}
      className="scroll-mt-4 border-t border-line py-12 sm:grid sm:grid-cols-[180px_1fr] sm:py-14"
    >
      <h2 className="text-xl font-semibold">{title}</h2>
      <dl className="mt-6 grid gap-7 sm:mt-0.5 sm:grid-cols-3">
        {points.map(([name, text]) => (
          <div key={name}>
            <dt className="font-medium">{name}</dt>
            <dd className="mt-1 text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Step({ title, children }: { title: string; children: string }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-2.5 font-medium">{title}</h3>
      <pre className="rounded-xl bg-sunken p-5 font-mono text-[13px] leading-relaxed wrap-anywhere whitespace-pre-wrap">
        <code>{children}</code>
      </pre>
    </div>
  );
}
