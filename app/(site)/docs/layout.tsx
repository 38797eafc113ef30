import type { ReactNode } from 'react';
import { SiteFrame } from '../parts/site-frame';
import { DocsMenu, DocsNav } from './docs-nav';
import { navigation } from './navigation';

export default function DocsLayout({ children }: { children: ReactNode }) {
  const groups = navigation();
  return (
    <SiteFrame current="docs">
      <DocsMenu groups={groups} />
      <div className="lg:grid lg:grid-cols-[208px_minmax(0,1fr)] lg:gap-12">
        <DocsNav groups={groups} />
        <main id="content" tabIndex={-1} className="min-w-0 pt-8 outline-none lg:pt-10">
          {children}
        </main>
      </div>
    </SiteFrame>
  );
}
