/** What a user, an app or the operator can require of every provider that a request is sent to. */

/** The database stores several as a number: bit n stands for rule n, so new ones are added at the end. */
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

/** Follows "providers that". */
export const RULE_TEXTS: Readonly<Record<DataRule, string>> = {
  no_training: 'do not train on requests',
  no_retention: 'retain nothing of requests',
  region_eu: 'process requests in the European Union only',
  region_us: 'process requests in the United States only',
};
