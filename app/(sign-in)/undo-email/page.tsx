import { readPageTexts, titled } from '@/app/_session/page-texts';
import { settings } from '@/server/base/env';
import { findUndoableChange } from '@/server/people/change-email';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { UndoEmail } from './undo-email';

export const generateMetadata = titled('undo');

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the link in the mail about a change of the e-mail address leads. Opening it changes nothing. */
export default async function UndoEmailPage({ searchParams }: Props) {
  const { token } = await searchParams;
  const change = typeof token === 'string' ? await findUndoableChange(token) : null;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {change === null || typeof token !== 'string' ? (
        <DeadLink task="undo" href="/account/settings" />
      ) : (
        <UndoEmail texts={await readPageTexts('undo')} token={token} email={change.email} />
      )}
    </Sheet>
  );
}
