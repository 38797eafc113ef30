import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readLanguage } from '@/app/_session/language';
import { isLive, settings } from '@/server/base/env';
import { findDemoPublishableKey } from '@/server/partners/demo';
import { Demo } from './demo';

export const metadata: Metadata = { title: 'Demo app' };

/** A partner's page. Apart from its publishable key, it uses only the widget and the public API. */
export default async function DemoPage() {
  if (isLive()) notFound();
  const publishableKey = await findDemoPublishableKey();
  if (publishableKey === null) notFound();
  const { SDK_URL, CHECKOUT_URL, BASE_URL, SANDBOX_MAIL_URL } = settings();
  return (
    <Demo
      publishableKey={publishableKey}
      scriptUrl={SDK_URL}
      checkoutUrl={CHECKOUT_URL}
      apiUrl={BASE_URL}
      mailUrl={SANDBOX_MAIL_URL === undefined ? null : `${BASE_URL}/dev/mail`}
      language={await readLanguage()}
    />
  );
}
