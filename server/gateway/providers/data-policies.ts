import type { DataRule } from '../../base/data-rules';
import type { ProviderName } from '../../base/endpoints';

/**
 * What providers say about the content of API requests: how long they retain it, whether they train on it, and where it
 * is stored. In our words, for a paid account with its default settings; an operator may have agreed on more. Null where
 * we found no statement. Read the source again before a release.
 */
export type DataPolicy = {
  retention: string | null;
  training: string | null;
  region: string | null;
  /** Those that the statements fulfil, without exception. */
  rules: readonly DataRule[];
  source: string | null;
  /** ISO date. */
  readOn: string | null;
};

const NO_STATEMENT = { retention: null, training: null, region: null, rules: [], source: null, readOn: null };
const READ_ON = '2026-11-23';

export const DATA_POLICIES: Readonly<Record<ProviderName, DataPolicy>> = {
  openai: {
    retention: 'Up to 30 days, to detect abuse; longer if the law or safety requires it',
    training: 'Not used for training',
    region: null,
    rules: ['no_training'],
    source: 'https://developers.openai.com/api/docs/guides/your-data',
    readOn: READ_ON,
  },
  anthropic: {
    retention: 'Deleted within 30 days; up to 2 years if flagged as a violation of its usage policy',
    training: 'Not used for training',
    region: null,
    rules: ['no_training'],
    source: 'https://privacy.claude.com/en/articles/7996866-how-long-do-you-store-my-organization-s-data',
    readOn: READ_ON,
  },
  google: {
    retention: '55 days, to detect abuse',
    training: 'Not used to improve its products',
    region: null,
    rules: ['no_training'],
    source: 'https://ai.google.dev/gemini-api/docs/usage-policies',
    readOn: READ_ON,
  },
  xai: {
    retention: '30 days, for audits of suspected abuse',
    training: 'Not used for training without permission',
    region: null,
    rules: ['no_training'],
    source: 'https://docs.x.ai/developers/faq/security',
    readOn: READ_ON,
  },
  // 30 days according to others; its own terms were not available to us.
  mistral: NO_STATEMENT,
  deepseek: {
    retention: 'As long as it needs the data; no period is named',
    training: 'May be used for training',
    region: 'China',
    rules: [],
    source: 'https://cdn.deepseek.com/policies/en-US/deepseek-privacy-policy.html',
    readOn: READ_ON,
  },
  groq: {
    retention: 'Not retained, unless needed to investigate failures or abuse',
    training: null,
    region: null,
    rules: [],
    source: 'https://console.groq.com/docs/your-data',
    readOn: READ_ON,
  },
  together: {
    retention: 'Stored, unless the operator has switched that off',
    training: 'Not used for training without consent',
    region: null,
    rules: ['no_training'],
    source: 'https://docs.together.ai/docs/zero-data-retention',
    readOn: READ_ON,
  },
  fireworks: {
    retention: 'Not stored for open models; prompt caches last several minutes',
    training: 'Content is not stored, so nothing is trained on it',
    region: null,
    rules: ['no_training', 'no_retention'],
    source: 'https://docs.fireworks.ai/guides/security_compliance/data_handling',
    readOn: READ_ON,
  },
  openrouter: {
    retention: 'Passed on to another provider, and web searches to Exa, whose policies apply',
    training: 'Depends on the provider that it is passed on to',
    region: null,
    rules: [],
    source: 'https://openrouter.ai/docs/guides/privacy/provider-logging',
    readOn: READ_ON,
  },
  cohere: NO_STATEMENT,
  voyage: NO_STATEMENT,
  jina: NO_STATEMENT,
  moonshot: NO_STATEMENT,
};
