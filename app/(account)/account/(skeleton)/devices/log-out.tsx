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
      consequence={`${count === 1 ? 'One other device is' : `${count} other devices are`} signed out, and every key that apps got there stops working. This device stays signed in.`}
      action={() => logOutOthers(undefined)}
    />
  );
}

export function LogOutEverywhere() {
  return (
    <ConfirmButton
      label="Sign out everywhere"
      title="Sign out everywhere?"
      consequence="All devices are signed out, this one too, and every key that apps got on them stops working. You sign in again with a code."
      action={async () => leaveWhenGone(await logOutEverywhere(undefined))}
    />
  );
}

const keysOf = (apps: string[]): string =>
  apps.length === 0 ? 'No app got a key on it.' : `The keys that ${apps.join(', ')} got on it stop working.`;

/** The page belongs to nobody any more. */
function leaveWhenGone<Result extends { ok: boolean; value?: { gone: boolean } }>(result: Result): Result {
  if (result.ok && result.value?.gone) window.location.assign('/sign-in');
  return result;
}
