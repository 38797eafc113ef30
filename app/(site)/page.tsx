import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { settings } from '@/server/base/env';
import { SITE_HEADER } from '../_ui/site-header';
import DemoPage from './demo/page';
import { FrontPage } from './front-page';

const isDemoHost = async (): Promise<boolean> => (await headers()).get(SITE_HEADER) === 'demo';

export async function generateMetadata(): Promise<Metadata> {
  return (await isDemoHost())
    ? { title: 'Demo app' }
    : {
        title: { absolute: `${settings().BRAND_NAME}: prepaid credits for every AI app` },
        description:
          'Prepaid credits for AI apps: users pay for their own requests, and apps earn on each one.',
      };
}

/** The root page of two hosts: the service and the demo app. */
export default async function RootPage() {
  return (await isDemoHost()) ? <DemoPage /> : <FrontPage />;
}
