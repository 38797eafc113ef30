/** What a user, an app or the operator can require of every provider that a request is sent to. */

/** Stored as a number in which bit n stands for rule n: add new rules at the end. */
export const DATA_RULES = ['no_training', 'no_retention', 'region_eu', 'region_us'] as const;
export type DataRule = (typeof DATA_RULES)[number];

/** Any number of rules, as bits. */
export type RuleSet = number;

export const NO_RULES: RuleSet = 0;
export const ALL_RULES: RuleSet = 2 ** DATA_RULES.length - 1;

export const writeRules = (rules: readonly DataRule[]): RuleSet =>
  rules.reduce((set, rule) => set | (1 << DATA_RULES.indexOf(rule)), NO_RULES);

export const readRules = (set: RuleSet): DataRule[] => DATA_RULES.filter((_, n) => (set & (1 << n)) !== 0);

/** Those of the required rules that are not among the ones that are met. */
export const unmetRules = (required: RuleSet, met: RuleSet): RuleSet => required & ~met;
