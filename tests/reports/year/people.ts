/** The users of the generated year: those that tests sign in as, and the apps with their traffic. */

/** Owns two of the apps. */
export const YEAR_OWNER = 'owner@year.example';
/** Made a tenth of all requests: the longest lists, the most rows per query. */
export const YEAR_HEAVY_USER = 'heavy@year.example';
/** Uses every app, and must appear on no partner's page. */
export const YEAR_CANARY = 'canary-7f3a@year.example';

export type YearApp = {
  id: string;
  name: string;
  rateBp: number;
  /** Its share of the traffic. */
  weight: number;
  /** The shares of that by model. An installation need not serve the models in its receipts. */
  models: Readonly<Record<string, number>>;
  ownerEmail: string;
  origin: string;
  allModels: boolean;
  disabled: boolean;
};

type Shape = Pick<YearApp, 'rateBp' | 'weight' | 'models'> & {
  owned?: boolean;
  allModels?: boolean;
  disabled?: boolean;
};

function app(name: string, { owned = false, allModels = true, disabled = false, ...shape }: Shape): YearApp {
  const host = `${name.toLowerCase().replaceAll(' ', '-')}.example`;
  return {
    ...shape,
    id: `prt_${`Year${name.replaceAll(' ', '')}`.padEnd(22, '0')}`,
    name,
    ownerEmail: owned ? YEAR_OWNER : `owner@${host}`,
    origin: `https://${host}`,
    allModels,
    disabled,
  };
}

export const YEAR_APPS: readonly YearApp[] = [
  app('Margin Notes', {
    rateBp: 2500,
    weight: 40,
    models: {
      'anthropic/claude-sonnet-5': 4,
      'anthropic/claude-haiku-4-5': 4,
      'openai/gpt-5.2': 3,
      'google/gemini-3-flash-preview': 2,
    },
    owned: true,
  }),
  app('Lumen Code', {
    rateBp: 1000,
    weight: 22,
    models: { 'anthropic/claude-sonnet-5': 6, 'anthropic/claude-opus-5': 2, 'xai/grok-4.3': 2 },
    owned: true,
  }),
  app('Tidewater Travel', {
    rateBp: 1500,
    weight: 20,
    models: { 'openai/gpt-5.2': 5, 'google/gemini-2.5-pro': 3, 'mistral/mistral-large-2512': 2 },
  }),
  app('Atlas Tutor', {
    rateBp: 4000,
    weight: 9,
    models: { 'google/gemini-2.5-flash': 6, 'deepseek/deepseek-v4-flash': 4 },
    allModels: false,
  }),
  app('Pocket Chef', {
    rateBp: 0,
    weight: 6,
    models: { 'anthropic/claude-haiku-4-5': 7, 'openai/gpt-5-mini': 3 },
  }),
  app('Quiet Garden', { rateBp: 3000, weight: 3, models: { 'openai/gpt-5-mini': 1 }, disabled: true }),
];

export const YEAR_APP = YEAR_APPS[0] as YearApp;
