import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { Gate } from './gate';

export const metadata: Metadata = { title: 'Checkout' };

/** Any page may frame the gate. It holds no data, reads no cookie, and only identifies its opener. */
export default async function GatePage() {
  return <Gate language={await readLanguage()} />;
}
