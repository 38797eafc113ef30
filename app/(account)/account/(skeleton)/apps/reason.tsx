import { Time } from '@/app/_ui/time';
import type { SpendingReason } from './describe-spending';

/** Why an app cannot spend, in sentences. */
export function Reason({ reason: { text, at } }: { reason: SpendingReason }) {
  if (at === undefined) return text;
  return (
    <>
      {text} <Time at={at} />.
    </>
  );
}
