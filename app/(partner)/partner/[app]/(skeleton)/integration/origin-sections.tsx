import { CornerDownLeft, Globe } from 'lucide-react';
import type { ComponentProps } from 'react';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { EmptyState } from '@/app/_ui/empty-state';
import { readableOrigin } from '@/app/_ui/readable-origin';
import { Section } from '@/app/_ui/section';
import type { Registered } from '@/server/partners/audit-log';
import { listOriginsWithMakers } from '@/server/partners/partner';
import { listRedirectsWithMakers } from '@/server/partners/redirects';
import { hasRight, type Role } from '@/server/partners/rights';
import { findDomains } from '@/server/payments/checkout/payment-method-domains';
import { ForRight } from '../../for-right';
import type { Member } from '../../require-app';
import { removeOrigin, removeRedirect } from './address-actions';
import { OriginForm, RedirectForm } from './address-forms';
import { DomainState } from './domain-state';

/** The sites that may open the checkout, and the addresses that a sign-in may return to. */
export async function OriginSections({ app, role }: Pick<Member, 'app' | 'role'>) {
  const canChange = hasRight(role, 'develop');
  const [registered, redirects] = await Promise.all([
    listOriginsWithMakers(app.id),
    listRedirectsWithMakers(app.id),
  ]);
  const origins = registered.map(({ value }) => value);
  // Those of a disabled app are not registered.
  const domains = await findDomains(app.disabledAt === null ? origins : []);
  return (
    <>
      <Section
        title="Add an origin"
        description="A site that may open your checkout: scheme and host, exactly as the browser shows them. Anywhere else it refuses to open and shares nothing with the page."
      >
        <ForRight role={role} right="develop">
          <OriginForm partnerId={app.id} registered={origins} />
        </ForRight>
      </Section>
      <Section
        title="Registered origins"
        description="Apple Pay and Google Pay appear in the overlay once they are active on the origin’s domain. In the popup and in a tab, the origin does not matter."
        flush
      >
        {origins.length === 0 ? (
          <EmptyState icon={<Globe size={22} aria-hidden="true" />} title="No origins yet">
            Your checkout opens on localhost only. Add the address of your site to go live.
          </EmptyState>
        ) : (
          <ul>
            {registered.map((one) => (
              <RegisteredOrigin
                key={one.value}
                partnerId={app.id}
                registered={one}
                domain={domains.get(one.value) ?? null}
                canChange={canChange}
              />
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
      <Redirects partnerId={app.id} role={role} redirects={redirects} />
    </>
  );
}

type OriginProps = {
  partnerId: string;
  registered: Registered;
  domain: ComponentProps<typeof DomainState>['state'];
  canChange: boolean;
};

function RegisteredOrigin({ partnerId, registered, domain, canChange }: OriginProps) {
  const { value: origin, createdBy } = registered;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line/70 px-5 py-3 last:border-0">
      <p className="min-w-0 text-sm wrap-anywhere">
        <code className="font-mono">{origin}</code>
        <span className="block text-[13px] text-muted">{readableOrigin(origin)}</span>
        <DomainState state={domain} />
        <AddedBy maker={createdBy} />
      </p>
      {canChange && (
        <ConfirmButton
          label="Remove"
          describe={origin}
          title="Remove this origin?"
          consequence={
            <>
              The checkout immediately stops opening on <code className="wrap-anywhere">{origin}</code> .
              Existing user keys keep working.
            </>
          }
          action={removeOrigin.bind(null, { partnerId, origin })}
        />
      )}
    </li>
  );
}

type RedirectsProps = { partnerId: string; role: Role; redirects: Registered[] };

function Redirects({ partnerId, role, redirects }: RedirectsProps) {
  return (
    <>
      <Section
        title="Redirect addresses"
        description="Where a user may return to after signing in by redirect. Only apps without the widget need one."
      >
        <ForRight role={role} right="develop">
          <RedirectForm partnerId={partnerId} registered={redirects.map(({ value }) => value)} />
        </ForRight>
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
            {redirects.map((redirect) => (
              <RegisteredRedirect
                key={redirect.value}
                partnerId={partnerId}
                redirect={redirect}
                canChange={hasRight(role, 'develop')}
              />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

type RedirectProps = { partnerId: string; redirect: Registered; canChange: boolean };

function RegisteredRedirect({ partnerId, redirect: { value: uri, createdBy }, canChange }: RedirectProps) {
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line/70 px-5 py-3 last:border-0">
      <p className="min-w-0 text-sm wrap-anywhere">
        <code className="font-mono">{uri}</code>
        {uri.startsWith('http:') && <span className="block text-[13px] text-muted">On any port</span>}
        <AddedBy maker={createdBy} />
      </p>
      {canChange && (
        <ConfirmButton
          label="Remove"
          describe={uri}
          title="Remove this redirect address?"
          consequence={
            <>
              Sign-ins can no longer return to <code className="wrap-anywhere">{uri}</code>, including those
              in progress. Existing user keys keep working.
            </>
          }
          action={removeRedirect.bind(null, { partnerId, uri })}
        />
      )}
    </li>
  );
}

function AddedBy({ maker }: { maker: string | null }) {
  return maker && <span className="block text-[13px] text-muted">Added by {maker}</span>;
}
