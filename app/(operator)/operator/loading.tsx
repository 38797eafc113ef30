'use client';

import { usePathname } from 'next/navigation';
import { PageSkeleton } from '@/app/_ui/skeleton';

export default function Loading() {
  return <PageSkeleton hasNumbers={usePathname() === '/operator'} />;
}
