import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { Gate } from './gate';

export const metadata: Metadata = { title: 'Checkout' };

/** Any page may frame the gate: it holds no data, reads no cookie, and only finds out who opened it. */
export default async function GatePage() {
  return <Gate language={await readLanguage()} />;
}
