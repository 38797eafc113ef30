import { modelQuerySchema } from '../../models';
import { pricingRequestSchema } from '../../pricing';
import type { Operation } from '../operation';

const MODEL = {
  id: 'openai/gpt-5.4',
  object: 'model',
  name: 'GPT-5.4',
  display_name: 'GPT-5.4',
  type: 'language',
  created: 1772668800,
  created_at: '2026-03-05T00:00:00.000Z',
  owned_by: 'openai',
  context_window: 1050000,
  max_tokens: 128000,
  context_length: 1050000,
  architecture: {
    modality: 'text+image+file->text',
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
  },
  top_provider: { context_length: 1050000, max_completion_tokens: 128000, is_moderated: false },
  supported_parameters: ['max_tokens', 'max_completion_tokens', 'tools', 'tool_choice', 'reasoning_effort'],
  capabilities: { json: true, pdf: true, reasoning: true, sampling: false, tools: true, vision: true },
  data_rules: ['no_training'],
  pricing: {
    input: 2.5,
    output: 15,
    cache_read: 0.25,
    cache_write: 3.125,
    cache_write_1h: 5,
    prompt: '0.0000025',
    completion: '0.000015',
    input_cache_read: '0.00000025',
    input_cache_write: '0.000003125',
    tiers: [
      {
        above_prompt_tokens: 272000,
        input: 5,
        output: 22.5,
        cache_read: 0.5,
        cache_write: 6.25,
        cache_write_1h: 10,
      },
    ],
  },
};

const ESTIMATE = {
  token_assumption: { input: 2500, output: 2500 },
  models: [{ id: 'openai/gpt-5.4', name: 'GPT-5.4', credits_per_request: 5.46875 }],
};

const PUBLISHABLE_KEY = 'svc_pk_4fJ8sKq2Lw9XvTzB1nRcYd7GhM3pE6aU0oI5';

export const MODELS: Operation[] = [
  {
    id: 'listModels',
    method: 'get',
    path: '/v1/models',
    group: 'models',
    summary: 'List models',
    description:
      'Lists every available model with the provider’s price. Models without a complete price are neither listed nor served. Client libraries of both formats can parse the list.',
    auth: 'none',
    query: { schema: modelQuerySchema, examples: {} },
    response: {
      description: 'All models, in one page.',
      schema: 'ModelList',
      example: {
        object: 'list',
        data: [MODEL],
        has_more: false,
        first_id: MODEL.id,
        last_id: MODEL.id,
      },
    },
    errorFormat: 'chat',
    errors: ['invalid_request'],
  },
  {
    id: 'retrieveModel',
    method: 'get',
    path: '/v1/models/{id}',
    group: 'models',
    summary: 'Retrieve a model',
    description: 'Returns one model. The slash in its id may be sent unencoded or as `%2F`.',
    auth: 'none',
    pathParameters: { id: { description: 'The model id.', example: 'sandbox/story' } },
    response: { description: 'The model.', schema: 'Model', example: MODEL },
    errorFormat: 'chat',
    errors: ['model_not_found'],
  },
  {
    id: 'estimatePrices',
    method: 'get',
    path: '/v1/credits/pricing',
    group: 'models',
    summary: 'Estimate prices',
    description:
      'Returns what a request of a given size costs a user of the app, in credits and including commission, for each model that the app may use. Charges are computed by the same function.',
    auth: 'none',
    query: {
      schema: pricingRequestSchema,
      examples: { publishable_key: PUBLISHABLE_KEY, models: 'openai/gpt-5.4,sandbox/story' },
    },
    response: { description: 'One estimate per model.', schema: 'PriceEstimate', example: ESTIMATE },
    errorFormat: 'chat',
    errors: ['invalid_request', 'invalid_publishable_key', 'partner_disabled'],
  },
  {
    id: 'estimatePricesByBody',
    method: 'post',
    path: '/v1/credits/pricing',
    group: 'models',
    summary: 'Estimate prices for many models',
    description: 'The same, with the models in the body.',
    auth: 'none',
    body: {
      schema: 'PricingRequest',
      examples: {
        some: {
          summary: 'Some models',
          value: {
            publishable_key: PUBLISHABLE_KEY,
            models: ['openai/gpt-5.4'],
            input_tokens: 2500,
            output_tokens: 2500,
          },
        },
      },
    },
    response: { description: 'One estimate per model.', schema: 'PriceEstimate', example: ESTIMATE },
    errorFormat: 'chat',
    errors: [
      'invalid_request',
      'invalid_publishable_key',
      'partner_disabled',
      'request_too_large',
      'unsupported_encoding',
    ],
  },
];
