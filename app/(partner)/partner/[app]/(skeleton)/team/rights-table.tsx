import { Check, Minus } from 'lucide-react';
import { hasRight, RIGHTS, type Right, ROLES, type Role } from '@/server/partners/rights';
import { RIGHT_WORDS, ROLE_WORDS } from './roles';

/** What each role allows, and whether the member's own does. Narrow enough for a phone. */
export function RightsTable({ own }: { own: Role }) {
  return (
    <table className="w-full border-collapse text-left text-sm">
      <caption className="sr-only">What each role allows</caption>
      <thead className="text-[13px] text-muted">
        <tr>
          <th scope="col" className="pr-4 pb-2 font-medium">
            You
          </th>
          <th scope="col" className="pr-4 pb-2 font-medium">
            Right
          </th>
          <th scope="col" className="pb-2 font-medium">
            Roles
          </th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(RIGHTS) as Right[]).map((right) => (
          <tr key={right} className="border-t border-line/70 align-top">
            <td className="py-2.5 pr-4">
              <Mark isGiven={hasRight(own, right)} />
            </td>
            <th scope="row" className="py-2.5 pr-4 font-normal">
              {RIGHT_WORDS[right]}
            </th>
            <td className="py-2.5 text-muted">
              {ROLES.filter((role) => hasRight(role, right))
                .map((role) => ROLE_WORDS[role])
                .join(', ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Mark({ isGiven }: { isGiven: boolean }) {
  return isGiven ? (
    <Check size={16} role="img" aria-label="yes" className="mt-0.5 text-positive" />
  ) : (
    <Minus size={16} role="img" aria-label="no" className="mt-0.5 text-muted" />
  );
}
