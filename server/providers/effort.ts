import type { Effort, Reasoning } from '../protocols/neutral';
import type { EffortName } from './profiles';

/** A smaller budget is refused. */
export const LEAST_BUDGET = 1_024;

/** A thinking budget in tokens as the effort that comes closest. */
export function effortOfBudget(tokens: number): Effort {
  if (tokens < 2_048) return 'low';
  if (tokens < 8_192) return 'medium';
  return tokens < 24_576 ? 'high' : 'xhigh';
}

/** Efforts from the least to the most. */
const LADDER: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** What is asked for, as far as the model takes it; null leaves the effort to the model. */
export function fitEffort(
  reasoning: Reasoning | null,
  efforts: readonly EffortName[] | null,
  warnings: string[],
): EffortName | null {
  const asked = reasoning === null ? null : effortOf(reasoning);
  if (asked === null) return null;
  if (efforts === null) {
    if (asked !== 'none') warnings.push('thinking was dropped');
    return null;
  }
  const taken = nearestEffort(asked, efforts);
  if (taken !== asked) warnings.push(`the reasoning effort was changed to ${taken}`);
  return taken;
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

/** The strongest effort that is taken and not above the asked one; else the weakest that is taken. */
function nearestEffort(asked: EffortName, efforts: readonly EffortName[]): EffortName {
  const taken = LADDER.filter((effort) => efforts.includes(effort));
  const below = taken.filter(
    (effort) => LADDER.indexOf(effort) <= LADDER.indexOf(asked) && (effort !== 'none' || asked === 'none'),
  );
  return below.at(-1) ?? taken.find((effort) => asked === 'none' || effort !== 'none') ?? asked;
}
