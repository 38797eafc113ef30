'use client';

import { Button } from '@/app/_ui/button';

export function PrintButton({ label }: { label: string }) {
  return (
    <Button look="secondary" onClick={() => window.print()}>
      {label}
    </Button>
  );
}
