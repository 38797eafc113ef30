import type { Effort, Reasoning } from '../protocols/neutral';
import type { EffortName } from './profiles';

/** Smaller budgets are rejected. */
export const MIN_BUDGET = 1_024;

/** The effort closest to a thinking budget in tokens. */
export function effortOfBudget(tokens: number): Effort {
  if (tokens < 2_048) return 'low';
  if (tokens < 8_192) return 'medium';
  return tokens < 24_576 ? 'high' : 'xhigh';
}

/** Efforts in ascending order. */
const LADDER: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

export const isEffortName = (value: unknown): value is EffortName =>
  (LADDER as readonly unknown[]).includes(value);

/** The requested effort, as far as the model supports it. Null lets the model decide. */
export function fitEffort(
  reasoning: Reasoning | null,
  efforts: readonly EffortName[] | null,
  warnings: string[],
): EffortName | null {
  const requested = reasoning === null ? null : effortOf(reasoning);
  if (requested === null) return null;
  if (efforts === null) {
    if (requested !== 'none') warnings.push('{reasoning} was dropped');
    return null;
  }
  const supported = nearestEffort(requested, efforts);
  if (supported !== requested) warnings.push(`{effort} was changed to ${supported}`);
  return supported;
}

function effortOf(reasoning: Reasoning): EffortName | null {
  switch (reasoning.type) {
    case 'off':
      return 'none';
    case 'effort':
    case 'adaptive':
      return reasoning.effort;
    case 'budget':
      return effortOfBudget(reasoning.tokens);
  }
}

/** The highest supported effort that is not above the requested one, otherwise the lowest supported one. */
function nearestEffort(requested: EffortName, efforts: readonly EffortName[]): EffortName {
  const supported = LADDER.filter((effort) => efforts.includes(effort));
  const below = supported.filter(
    (effort) =>
      LADDER.indexOf(effort) <= LADDER.indexOf(requested) && (effort !== 'none' || requested === 'none'),
  );
  return below.at(-1) ?? supported.find((effort) => requested === 'none' || effort !== 'none') ?? requested;
}
