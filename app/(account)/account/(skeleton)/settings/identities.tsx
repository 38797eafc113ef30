import { LogIn } from 'lucide-react';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { type LinkedIdentity, listIdentities } from '@/server/people/identities';
import { RemoveIdentity } from './remove-identity';

/** The identities that sign in to the account. A user links one by signing in with it. */
export async function Identities({ userId }: { userId: string }) {
  const identities = await listIdentities(userId);
  if (identities.length === 0) return null;
  return (
    <Section
      title="Linked sign-ins"
      description="They sign in to your account without a code, also after you change your e-mail address here or there."
      flush
    >
      <ul>
        {identities.map((identity) => (
          <IdentityLine key={identity.identityId} identity={identity} />
        ))}
      </ul>
    </Section>
  );
}

function IdentityLine({ identity }: { identity: LinkedIdentity }) {
  const { identityId, name, createdAt, lastUsedAt } = identity;
  return (
    <li className="flex items-center gap-4 border-b border-line/70 px-5 py-4 last:border-0">
      <span className="grid size-10 shrink-0 place-items-center rounded-full bg-sunken text-muted max-sm:hidden">
        <LogIn size={18} aria-hidden="true" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="text-[13px] text-muted">
          Linked <Time at={createdAt.toISOString()} withClock={false} />
          <span className="max-sm:hidden"> · </span>
          <span className="max-sm:block">
            last used <Time at={lastUsedAt.toISOString()} />
          </span>
        </p>
      </div>
      <RemoveIdentity identityId={identityId} name={name} />
    </li>
  );
}
