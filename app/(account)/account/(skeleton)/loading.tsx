'use client';

import { usePathname } from 'next/navigation';
import { PageSkeleton } from '@/app/_ui/skeleton';

const WITH_NUMBERS = ['/account', '/account/activity'];

export default function Loading() {
  return <PageSkeleton hasNumbers={WITH_NUMBERS.includes(usePathname())} />;
}
