'use client';

import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { SignOutButton } from '@/app/_session/sign-out-button';

type Props = { texts: PageTexts<'continue'>; email: string };

/** The key that needs credits belongs to someone else: buying here would not help. */
export function OtherAccount({ texts, email }: Props) {
  const { say, shared } = speakPage(texts);
  return (
    <>
      <h1 className="text-2xl font-semibold">{say.title}</h1>
      <p className="mt-1.5 mb-6 text-muted">{say.text}</p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">{say.signedInAs}</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      <SignOutButton label={shared.say.signOut} look="secondary" size="large" />
    </>
  );
}
