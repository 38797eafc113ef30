import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { messagesFor } from '../messages';
import { CheckMark, FullMessage, Panel } from '../panel';

export const metadata: Metadata = { title: 'Checkout' };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Where the processor sends a buyer who paid in a tab of its own. The app's window does the rest. */
export default async function ReturnPage({ searchParams }: Props) {
  const say = messagesFor(await readLanguage());
  const { status, cancelled } = await searchParams;
  const isCancelled = cancelled !== undefined || status === 'cancelled';
  return (
    <Panel>
      <FullMessage
        title={isCancelled ? say.cancelTitle : say.returnTitle}
        {...(!isCancelled && { icon: <CheckMark /> })}
      >
        <p className="max-w-80 text-muted">{isCancelled ? say.cancelText : say.returnText}</p>
      </FullMessage>
    </Panel>
  );
}
