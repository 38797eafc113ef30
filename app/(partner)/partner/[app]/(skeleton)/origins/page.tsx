import { CornerDownLeft, Globe } from 'lucide-react';
import type { Metadata } from 'next';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { readableOrigin } from '@/app/_ui/readable-origin';
import { Section } from '@/app/_ui/section';
import { findDomains } from '@/server/checkout/payment-method-domains';
import { listOrigins } from '@/server/partners/partner';
import { listRedirects } from '@/server/partners/redirects';
import { type AppParams, requireOwnedApp } from '../../owned-app';
import { removeOrigin, removeRedirect } from './actions';
import { DomainState } from './domain-state';
import { OriginForm } from './origin-form';
import { RedirectForm } from './redirect-form';

export const metadata: Metadata = { title: 'Origins' };

export default async function OriginsPage(props: AppParams) {
  const app = await requireOwnedApp(props);
  const [origins, redirects] = await Promise.all([listOrigins(app.id), listRedirects(app.id)]);
  // Those of a disabled app are not registered.
  const domains = await findDomains(app.disabledAt === null ? origins : []);
  return (
    <>
      <PageHead
        title="Origins"
        description="The sites that may open your checkout. On any other it refuses to open, names the origin, and shares no key, balance or event."
      />
      <Section title="Add an origin" description="Scheme and host, exactly as the browser shows them.">
        <OriginForm partnerId={app.id} registered={origins} />
      </Section>
      <Section
        title="Registered"
        description="Apple Pay and Google Pay appear in the overlay once they are active on the origin’s domain. In the popup and in a tab, the origin does not matter."
        flush
      >
        {origins.length === 0 ? (
          <EmptyState icon={<Globe size={22} aria-hidden="true" />} title="No origins yet">
            Your checkout opens on localhost only. Add the address of your site to go live.
          </EmptyState>
        ) : (
          <ul>
            {origins.map((origin) => (
              <li
                key={origin}
                className="flex items-center justify-between gap-4 border-b border-line/70 px-5 py-3 last:border-0"
              >
                <p className="min-w-0 text-sm wrap-anywhere">
                  <code className="font-mono">{origin}</code>
                  <span className="block text-[13px] text-muted">{readableOrigin(origin)}</span>
                  <DomainState state={domains.get(origin) ?? null} />
                </p>
                <ConfirmButton
                  label="Remove"
                  describe={origin}
                  title="Remove this origin?"
                  consequence={
                    <>
                      The checkout immediately stops opening on{' '}
                      <code className="wrap-anywhere">{origin}</code> . Existing user keys keep working.
                    </>
                  }
                  action={removeOrigin.bind(null, { partnerId: app.id, origin })}
                />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Always allowed">
        <p className="text-sm text-muted">
          <code className="font-mono text-[13px]">http(s)://localhost</code>,{' '}
          <code className="font-mono text-[13px]">127.0.0.1</code> and{' '}
          <code className="font-mono text-[13px]">*.localhost</code> work on any port without registration,
          for development. Native and desktop apps register their scheme, such as{' '}
          <code className="font-mono text-[13px]">myapp://*</code>, which allows every app on the device that
          uses it.
        </p>
      </Section>
      <Section
        title="Redirect addresses"
        description="Where a user may return to after signing in by redirect. Only apps without the widget need one."
      >
        <RedirectForm partnerId={app.id} registered={redirects} />
      </Section>
      <Section title="Registered addresses" flush>
        {redirects.length === 0 ? (
          <EmptyState
            icon={<CornerDownLeft size={22} aria-hidden="true" />}
            title="No redirect addresses yet"
          >
            Sign-in by redirect is refused. Add the whole address that your app receives.
          </EmptyState>
        ) : (
          <ul>
            {redirects.map((uri) => (
              <RegisteredRedirect key={uri} partnerId={app.id} uri={uri} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function RegisteredRedirect({ partnerId, uri }: { partnerId: string; uri: string }) {
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line/70 px-5 py-3 last:border-0">
      <p className="min-w-0 text-sm wrap-anywhere">
        <code className="font-mono">{uri}</code>
        {uri.startsWith('http:') && <span className="block text-[13px] text-muted">On any port</span>}
      </p>
      <ConfirmButton
        label="Remove"
        describe={uri}
        title="Remove this redirect address?"
        consequence={
          <>
            Sign-ins can no longer return to <code className="wrap-anywhere">{uri}</code>, including those in
            progress. Existing user keys keep working.
          </>
        }
        action={removeRedirect.bind(null, { partnerId, uri })}
      />
    </li>
  );
}
