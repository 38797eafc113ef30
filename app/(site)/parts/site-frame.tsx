import type { ReactNode } from 'react';
import { hasSessionCookie } from '@/app/_session/session';
import { PageLink } from '@/app/_ui/page-link';
import { isLive, settings } from '@/server/base/env';
import { buttonClass } from '../../_ui/button';

type SiteArea = 'front' | 'pricing' | 'docs' | 'status';

const WIDTH = 'mx-auto w-full max-w-[1180px] px-5 sm:px-8';

/** Header and footer of the front page, the prices and the documentation. */
export async function SiteFrame({ current, children }: { current: SiteArea; children: ReactNode }) {
  const isSignedIn = await hasSessionCookie();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50 focus:rounded-lg focus:bg-accent focus:px-4 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </a>
      <SiteHeader current={current} isSignedIn={isSignedIn} />
      <div className={`${WIDTH} flex-1`}>{children}</div>
      <SiteFooter isSignedIn={isSignedIn} />
    </div>
  );
}

function SiteHeader({ current, isSignedIn }: { current: SiteArea; isSignedIn: boolean }) {
  const link = (place: SiteArea, href: string, label: string) => (
    <PageLink
      href={href}
      aria-current={current === place ? 'page' : undefined}
      className="flex h-11 items-center rounded-lg px-2.5 text-muted hover:text-text aria-[current=page]:font-medium aria-[current=page]:text-text sm:px-3"
    >
      {label}
    </PageLink>
  );
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-page/95 backdrop-blur">
      <div className={`${WIDTH} flex h-16 items-center justify-between gap-2`}>
        <PageLink
          href="/"
          className="-ml-1 flex h-11 min-w-0 items-center gap-2.5 rounded-lg px-1 font-semibold"
        >
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span className="truncate">{settings().BRAND_NAME}</span>
        </PageLink>
        <nav aria-label="Main" className="flex items-center text-sm">
          {link('pricing', '/pricing', 'Models')}
          {link('docs', '/docs', 'Docs')}
          <a
            href={isSignedIn ? '/account' : '/sign-in'}
            className={`${buttonClass({ look: 'secondary', size: 'small' })} ml-2`}
          >
            {isSignedIn ? 'Account' : 'Sign in'}
          </a>
        </nav>
      </div>
    </header>
  );
}

function SiteFooter({ isSignedIn }: { isSignedIn: boolean }) {
  const { BRAND_NAME: brand, SANDBOX_MAIL_URL: mail } = settings();
  const isTest = !isLive();
  return (
    <footer className="mt-20 border-t border-line text-sm">
      <div
        className={`${WIDTH} grid grid-cols-2 gap-x-8 gap-y-10 py-12 sm:grid-cols-3 lg:grid-cols-[1fr_repeat(3,180px)]`}
      >
        <div className="col-span-full lg:col-span-1">
          <p className="font-semibold">{brand}</p>
          <p className="mt-2 max-w-[34ch] text-muted">
            Prepaid credits for AI apps. 100 credits are 1 US dollar.
          </p>
          {isTest && (
            <p className="mt-4 inline-flex rounded-full bg-warning-soft px-3 py-1 text-xs font-medium text-warning">
              Test mode: no real money
            </p>
          )}
        </div>
        <FooterLinks
          title="Product"
          links={[
            ['Models and prices', '/pricing'],
            ['Status', '/status'],
            ...(isTest ? [['Demo app', '/demo'] as const] : []),
            ...(mail === undefined ? [] : [['Test mailbox', '/dev/mail'] as const]),
          ]}
        />
        <FooterLinks
          title="Developers"
          links={[
            ['Documentation', '/docs'],
            ['API reference', '/docs/api'],
            ['Errors', '/docs/errors'],
            ['OpenAPI document', '/v1/openapi.json'],
            ['llms.txt', '/llms.txt'],
          ]}
        />
        <FooterLinks
          title="Your account"
          links={[
            ['Credits and apps', '/account'],
            ['Partner dashboard', '/partner'],
            ...(isSignedIn ? [] : [['Sign in', '/sign-in'] as const]),
          ]}
        />
      </div>
    </footer>
  );
}

function FooterLinks({ title, links }: { title: string; links: (readonly [string, string])[] }) {
  return (
    <nav aria-label={title}>
      <p className="font-medium">{title}</p>
      <ul className="mt-2">
        {links.map(([label, href]) => (
          <li key={href}>
            <a
              href={href}
              className="inline-flex min-h-11 items-center sm:min-h-9 text-muted hover:text-text hover:underline"
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
