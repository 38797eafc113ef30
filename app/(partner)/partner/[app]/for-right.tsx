import type { ReactNode } from 'react';
import { hasRight, type Right, type Role, writeRolesWith } from '@/server/partners/rights';

type Props = { role: Role; right: Right; children: ReactNode };

/** What only some members can change; the others read who can. */
export function ForRight({ role, right, children }: Props) {
  if (hasRight(role, right)) return children;
  return <p className="text-sm text-muted">{writeRolesWith(right)} can change this.</p>;
}
