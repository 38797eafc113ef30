import { KeyRound } from 'lucide-react';
import { headers } from 'next/headers';
import type { Session } from '@/app/_session/session';
import { describeDevice } from '@/app/_ui/describe-device';
import { EmptyState } from '@/app/_ui/empty-state';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { listPasskeys, type Passkey, readPasskeyUse } from '@/server/people/passkeys';
import { AddPasskey } from './add-passkey';
import { RemovePasskey } from './remove-passkey';

const ICON = <KeyRound size={18} aria-hidden="true" />;

/** The user's passkeys. */
export async function Passkeys({ session }: { session: Session }) {
  const [passkeys, use] = await Promise.all([listPasskeys(session.userId), readPasskeyUse(session)]);
  const { name } = describeDevice((await headers()).get('user-agent') ?? '');
  return (
    <Section
      title="Passkeys"
      description={
        use === 'required'
          ? 'As an operator or the owner of an app, you confirm changes with a passkey only. Keep a second one in case you lose a device.'
          : 'Sign in with your fingerprint, face or screen lock instead of a code.'
      }
      actions={<AddPasskey suggestedName={name} />}
      flush
    >
      {passkeys.length === 0 ? (
        <EmptyState icon={ICON} title="No passkeys yet">
          Add one to sign in on this device without waiting for an e-mail.
        </EmptyState>
      ) : (
        <ul>
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.passkeyId} passkey={passkey} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function PasskeyLine({ passkey: { passkeyId, name, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  return (
    <li className="flex items-center gap-4 border-b border-line/70 px-5 py-4 last:border-0">
      <span className="grid size-10 shrink-0 place-items-center rounded-full bg-sunken text-muted max-sm:hidden">
        {ICON}
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="text-[13px] text-muted">
          Added <Time at={createdAt.toISOString()} withClock={false} />
          <span className="max-sm:hidden"> · </span>
          <span className="max-sm:block">
            {lastUsedAt === null ? (
              'not used yet'
            ) : (
              <>
                last used <Time at={lastUsedAt.toISOString()} />
              </>
            )}
          </span>
        </p>
      </div>
      <RemovePasskey passkeyId={passkeyId} name={name} />
    </li>
  );
}
