import './globals.css';
import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { settings } from '@/server/base/env';
import { readLanguage } from './_session/language';

export function generateMetadata(): Metadata {
  const name = settings().BRAND_NAME;
  return { title: { default: name, template: `%s · ${name}` }, icons: { icon: '/icon.svg' } };
}

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  colorScheme: 'light dark',
};

/** Reads the request's language, which also keeps every page dynamic, as its nonce requires. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang={await readLanguage()}>
      <body className="min-h-dvh text-[15px] leading-normal">{children}</body>
    </html>
  );
}
