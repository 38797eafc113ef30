import type { Metadata } from 'next';
import { readLanguage } from '../../_ui/language';
import { Unavailable } from './unavailable';

export const metadata: Metadata = { title: 'Checkout' };

/** Shown instead of a checkout that is temporarily unavailable (see proxy.ts). Any page may frame it: it holds no data. */
export default async function UnavailablePage() {
  return <Unavailable language={await readLanguage()} />;
}
