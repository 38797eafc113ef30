import type { Metadata } from 'next';
import { readReturnPath } from '@/app/_session/return-path';
import { requireSession } from '@/app/_session/session';
import { SignOutButton } from '@/app/_session/sign-out-button';
import { settings } from '@/server/base/env';
import { Sheet } from '../../sheet';
import { GoOn } from './go-on';

export const metadata: Metadata = { title: 'Use your passkey' };

type Props = { searchParams: Promise<{ return?: string | string[] }> };

/** For operators who signed in with a code and have a passkey. */
export default async function PasskeyPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const returnTo = readReturnPath((await searchParams).return);
  return (
    <Sheet brand={settings().BRAND_NAME}>
      <h1 className="text-2xl font-semibold">Use your passkey</h1>
      <p className="mt-1.5 mb-6 text-muted">
        You are signed in as <strong className="font-medium wrap-anywhere text-text">{email}</strong>. For
        these pages, a code is not enough.
      </p>
      <GoOn returnTo={returnTo} />
      <SignOutButton />
    </Sheet>
  );
}
