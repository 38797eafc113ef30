import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { Unavailable } from './unavailable';

export const metadata: Metadata = { title: 'Checkout' };

/** In the place of a checkout that cannot be read just now (see proxy.ts). Anybody may frame it: it knows nothing. */
export default async function UnavailablePage() {
  return <Unavailable language={await readLanguage()} />;
}
