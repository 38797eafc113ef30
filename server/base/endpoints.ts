/**
 * All providers that this product can call. The settings, `.env.example` and the requests are derived from
 * this table. To configure a provider, set its key.
 */

/** The wire format that a provider speaks. */
export type WireFormatName = 'openai' | 'anthropic';

export type Endpoint = {
  format: WireFormatName;
  /** The URL before `/chat/completions` or `/messages`. */
  baseUrl: string;
};

export const ENDPOINTS = {
  openai: { format: 'openai', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { format: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  google: { format: 'openai', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  xai: { format: 'openai', baseUrl: 'https://api.x.ai/v1' },
  mistral: { format: 'openai', baseUrl: 'https://api.mistral.ai/v1' },
  deepseek: { format: 'openai', baseUrl: 'https://api.deepseek.com/v1' },
  groq: { format: 'openai', baseUrl: 'https://api.groq.com/openai/v1' },
  together: { format: 'openai', baseUrl: 'https://api.together.xyz/v1' },
  fireworks: { format: 'openai', baseUrl: 'https://api.fireworks.ai/inference/v1' },
  openrouter: { format: 'openai', baseUrl: 'https://openrouter.ai/api/v1' },
  cohere: { format: 'openai', baseUrl: 'https://api.cohere.com/v2' },
  voyage: { format: 'openai', baseUrl: 'https://api.voyageai.com/v1' },
  jina: { format: 'openai', baseUrl: 'https://api.jina.ai/v1' },
  moonshot: { format: 'openai', baseUrl: 'https://api.moonshot.ai/v1' },
} as const satisfies Record<string, Endpoint>;

export type ProviderName = keyof typeof ENDPOINTS;

/** The sandbox supports both formats; each is a separate provider. */
export const SANDBOX_FORMATS: Readonly<Record<string, WireFormatName>> = {
  sandbox: 'openai',
  'sandbox-anthropic': 'anthropic',
};

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(ENDPOINTS, name);
}

export const keyVariable = <Name extends ProviderName>(name: Name) =>
  `${name.toUpperCase()}_API_KEY` as `${Uppercase<Name>}_API_KEY`;

export const baseUrlVariable = <Name extends ProviderName>(name: Name) =>
  `${name.toUpperCase()}_BASE_URL` as `${Uppercase<Name>}_BASE_URL`;
