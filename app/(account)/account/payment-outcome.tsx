import type { ReactNode } from 'react';
import { EmptyState } from '@/app/_ui/empty-state';
import { Section } from '@/app/_ui/section';

type Props = { icon: ReactNode; title: string; children: ReactNode };

/** How a payment stands, as the only content of a page. Screen readers hear it when it changes. */
export function PaymentOutcome({ icon, title, children }: Props) {
  return (
    <Section flush>
      <div role="status">
        <h1 className="sr-only">{title}</h1>
        <EmptyState icon={icon} title={title}>
          {children}
        </EmptyState>
      </div>
    </Section>
  );
}
