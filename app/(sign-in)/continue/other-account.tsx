'use client';

import { SignOutButton } from '@/app/_session/sign-out-button';

/** The key that needs credits belongs to someone else: buying here would not help. */
export function OtherAccount({ email }: { email: string }) {
  return (
    <>
      <h1 className="text-2xl font-semibold">This link is for another account</h1>
      <p className="mt-1.5 mb-6 text-muted">
        Your terminal or app uses a different account than the one you are signed in to here. Sign out, then
        open the link again and sign in with the other account.
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">Signed in as</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      <SignOutButton look="secondary" size="large" />
    </>
  );
}
