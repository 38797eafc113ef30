import type { Metadata } from 'next';
import { readLanguage } from '@/app/_session/language';
import { creditsToJson } from '@/server/base/credits';
import { readReturnedPayment } from '@/server/payments/checkout/returned-payment';
import { CHECKOUT_TEXTS } from '@/texts/checkout';
import { countCredits } from '../../_ui/amount';
import { Spinner } from '../../_ui/spinner';
import { wordsOf } from '../messages';
import { CheckMark, FullMessage, Panel, WarningMark } from '../panel';
import { AutoRefresh } from './auto-refresh';

export async function generateMetadata(): Promise<Metadata> {
  return { title: CHECKOUT_TEXTS[await readLanguage()].pageTitle };
}

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };
type View = 'paid' | 'confirming' | 'processing' | 'failed' | 'cancelled' | 'unknown';

/**
 * The page that the processor redirects to after a payment in a separate tab. The window of the app does the
 * rest.
 */
export default async function ReturnPage({ searchParams }: Props) {
  const language = await readLanguage();
  const { say } = wordsOf(CHECKOUT_TEXTS[language], language);
  const { status, session_id: sessionId } = await searchParams;
  const payment = typeof sessionId === 'string' ? await readReturnedPayment(sessionId) : null;
  const view = viewOf(payment?.status, status === 'cancelled');
  const content: Record<View, { title: string; text: string }> = {
    paid: {
      title: say.successTitle({ count: countCredits(creditsToJson(payment?.credits ?? 0n), language) }),
      text: say.returnPaidText({ app: payment?.appName ?? '' }),
    },
    confirming: { title: say.confirming, text: '' },
    processing: { title: say.processingTitle, text: say.processingText },
    failed: { title: say.failedTitle, text: say.cancelText },
    cancelled: { title: say.cancelTitle, text: say.cancelText },
    unknown: { title: say.returnTitle, text: say.returnText },
  };
  const isWaiting = view === 'confirming' || view === 'processing';
  return (
    <Panel>
      <div role="status" className="flex flex-1 flex-col">
        <FullMessage title={content[view].title} icon={<Icon view={view} />}>
          <p className="max-w-80 text-muted">{content[view].text}</p>
        </FullMessage>
      </div>
      {isWaiting && <AutoRefresh />}
    </Panel>
  );
}

function viewOf(status: string | undefined, isCancelled: boolean): View {
  switch (status) {
    case 'completed':
      return 'paid';
    case 'processing':
      return 'processing';
    case 'failed':
    case 'expired':
      return 'failed';
    case 'open':
      return isCancelled ? 'cancelled' : 'confirming';
    default:
      return isCancelled ? 'cancelled' : 'unknown';
  }
}

function Icon({ view }: { view: View }) {
  if (view === 'failed') return <WarningMark />;
  if (view === 'cancelled') return null;
  if (view === 'paid' || view === 'unknown') return <CheckMark />;
  return (
    <span className="text-accent">
      <Spinner size={32} />
    </span>
  );
}
