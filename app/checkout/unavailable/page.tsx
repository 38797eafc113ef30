import type { Metadata } from 'next';
import { readLanguage } from '@/app/_session/language';
import { CHECKOUT_TEXTS } from '@/texts/checkout';
import { Unavailable } from './unavailable';

export async function generateMetadata(): Promise<Metadata> {
  return { title: CHECKOUT_TEXTS[await readLanguage()].pageTitle };
}

/** Shown instead of a checkout that is temporarily unavailable (see proxy.ts). Any page may frame it: it holds no data. */
export default async function UnavailablePage() {
  const { brokenTitle, unavailableText, retry } = CHECKOUT_TEXTS[await readLanguage()];
  return <Unavailable title={brokenTitle} text={unavailableText} action={retry} />;
}
