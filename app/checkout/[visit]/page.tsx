import type { Metadata } from 'next';
import { settings } from '@/server/base/env';
import { findVisitOrigin } from '@/server/payments/checkout/visits';
import { readLanguage } from '../../_ui/language';
import { messagesFor } from '../messages';
import { FullMessage, Panel } from '../panel';
import { Checkout } from './checkout';

export const metadata: Metadata = { title: 'Checkout' };

type Props = { params: Promise<{ visit: string }> };

/** The document with the secrets. Only the visit's own origin may frame it (see proxy.ts). */
export default async function VisitPage({ params }: Props) {
  const { visit: visitId } = await params;
  const language = await readLanguage();
  const visit = await findVisitOrigin(visitId);
  if (visit === null) {
    const say = messagesFor(language);
    return (
      <Panel>
        <FullMessage title={say.lostTitle}>
          <p className="text-muted">{say.lostText}</p>
        </FullMessage>
      </Panel>
    );
  }
  return (
    <Checkout
      visitId={visitId}
      origin={visit.origin}
      language={language}
      brand={settings().BRAND_NAME}
      accountUrl={`${settings().BASE_URL}/account`}
      mailUrl={settings().SANDBOX_MAIL_URL === undefined ? null : `${settings().BASE_URL}/dev/mail`}
    />
  );
}
