import { formatCredits } from '@/server/base/credits';
import type { UserLimits } from '@/server/partners/user-limits';
import type { LimitTexts } from './limits-button';

const write = (credits: bigint | null | undefined): string => (credits ? formatCredits(credits) : '');

export function writeLimitTexts(limits: UserLimits | null): LimitTexts {
  return {
    day: write(limits?.day),
    month: write(limits?.month),
    request: write(limits?.request),
    rule: limits?.models?.rule ?? 'all',
    models: limits?.models?.models.join('\n') ?? '',
  };
}
