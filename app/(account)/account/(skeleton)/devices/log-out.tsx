'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { logOutEverywhere, logOutOne, logOutOthers } from './actions';

type DeviceProps = { sessionId: string; name: string; apps: string[]; isHere: boolean };

export function LogOutDevice({ sessionId, name, apps, isHere }: DeviceProps) {
  return (
    <ConfirmButton
      label="Sign out"
      describe={isHere ? 'this device' : name}
      title={isHere ? 'Sign out this device?' : `Sign out ${name}?`}
      consequence={`${keysOf(apps)} You can sign in there again at any time.`}
      action={async () => leaveWhenGone(await logOutOne({ sessionId }))}
    />
  );
}

export function LogOutOthers({ count }: { count: number }) {
  return (
    <ConfirmButton
      label="Sign out all others"
      title="Sign out all other devices?"
      consequence={`Signs out ${count === 1 ? 'one other device' : `${count} other devices`} and revokes every key that apps got there. This device stays signed in.`}
      action={() => logOutOthers(undefined)}
    />
  );
}

export function LogOutEverywhere() {
  return (
    <ConfirmButton
      label="Sign out everywhere"
      title="Sign out everywhere?"
      consequence="Signs out all devices, including this one, and revokes every key that apps got on them. To sign in again, you need a new code."
      action={async () => leaveWhenGone(await logOutEverywhere(undefined))}
    />
  );
}

const keysOf = (apps: string[]): string =>
  apps.length === 0
    ? 'No app has a key on this device.'
    : `The keys that ${apps.join(', ')} got on this device stop working.`;

/** The page no longer belongs to a signed-in user. */
function leaveWhenGone<Result extends { ok: boolean; value?: { gone: boolean } }>(result: Result): Result {
  if (result.ok && result.value?.gone) window.location.assign('/sign-in');
  return result;
}
