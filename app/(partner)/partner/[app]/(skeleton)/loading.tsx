'use client';

import { useParams, usePathname } from 'next/navigation';
import { PageSkeleton } from '@/app/_ui/skeleton';

export default function Loading() {
  const home = `/partner/${useParams<{ app: string }>().app}`;
  return <PageSkeleton hasNumbers={[home, `${home}/earnings`].includes(usePathname())} />;
}
