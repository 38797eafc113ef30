import { readPageTexts, titled } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession } from '@/app/_session/session';
import { settings } from '@/server/base/env';
import { Sheet } from '../sheet';
import { ConnectDevice } from './connect-device';

export const generateMetadata = titled('device');

type Props = { searchParams: Promise<{ user_code?: string | string[] }> };

/** Where users enter the code of a terminal or device; see docs/terminals.md. Opening it changes nothing. */
export default async function DevicePage({ searchParams }: Props) {
  const { email } = await requireSession();
  const { user_code: code } = await searchParams;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      <PresenceDialog texts={await readPageTexts('presence')}>
        <ConnectDevice
          texts={await readPageTexts('device')}
          email={email}
          givenCode={typeof code === 'string' ? code.slice(0, 40) : ''}
        />
      </PresenceDialog>
    </Sheet>
  );
}
