import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { Gate } from './gate';

export const metadata: Metadata = { title: 'Checkout' };

/** Anybody may frame this page: it knows nothing, reads no cookie, and only learns who opened it. */
export default async function GatePage() {
  return <Gate language={await readLanguage()} />;
}
