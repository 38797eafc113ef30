import { DATA, each, fields, type Shape, VALUE, variants } from '../../protocols/known-fields';

/**
 * The fields of a chat request that reach a provider: those that its reference documents (November 2026) and
 * that do not change the price, the model or what the hold has to cover. Others are dropped with a warning.
 */

const CACHE = {
  cache_control: fields(each(['type', 'ttl'], VALUE)),
  prompt_cache_breakpoint: fields(each(['mode', 'ttl'], VALUE)),
};
const GOOGLE_EXTRAS = fields({ google: fields(each(['thought', 'thought_signature'], VALUE)) });

const PARTS = variants('parts', {
  text: fields({ type: VALUE, text: VALUE, extra_content: GOOGLE_EXTRAS, ...CACHE }),
  refusal: fields(each(['type', 'refusal'], VALUE)),
  thinking: fields({
    ...each(['type', 'signature', 'closed'], VALUE),
    thinking: fields(each(['type', 'text'], VALUE)),
  }),
  input_audio: fields({ type: VALUE, input_audio: fields(each(['data', 'format'], VALUE)) }),
  image_url: fields({ type: VALUE, image_url: fields(each(['url', 'detail'], VALUE)), ...CACHE }),
  file: fields({ type: VALUE, file: fields(each(['filename', 'file_data'], VALUE)), ...CACHE }),
});

const CALLED = fields({ name: VALUE, arguments: DATA });
const CALL = fields({
  ...each(['id', 'type', 'index'], VALUE),
  function: CALLED,
  custom: fields({ name: VALUE, input: DATA }),
  extra_content: GOOGLE_EXTRAS,
});
const THOUGHT = fields(
  each(['type', 'text', 'summary', 'data', 'thinking', 'signature', 'id', 'format', 'index'], VALUE),
);
const MESSAGE = fields({
  ...each(['role', 'name', 'tool_call_id', 'refusal', 'audio', 'annotations', 'prefix', 'partial'], VALUE),
  content: PARTS,
  tool_calls: CALL,
  function_call: CALLED,
  ...each(['reasoning', 'reasoning_content'], VALUE),
  ...each(['reasoning_details', 'thinking_blocks'], THOUGHT),
  extra_content: GOOGLE_EXTRAS,
  ...CACHE,
});

const FUNCTION = { ...each(['name', 'description', 'strict'], VALUE), parameters: DATA };
const GRAMMAR = fields(each(['syntax', 'definition'], VALUE));
const TOOLS = variants('tools', {
  function: fields({ type: VALUE, function: fields(FUNCTION), ...CACHE }),
  custom: fields({
    type: VALUE,
    custom: fields({
      ...each(['name', 'description'], VALUE),
      format: fields({ type: VALUE, grammar: GRAMMAR }),
    }),
    ...CACHE,
  }),
});
const CHOSEN = { ...each(['type', 'name'], VALUE), ...each(['function', 'custom'], fields({ name: VALUE })) };
const ALLOWED_TOOLS = { mode: VALUE, tools: fields(CHOSEN) };

const COMMON: Record<string, Shape> = {
  ...each(['model', 'stream', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed'], VALUE),
  ...each(['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'], VALUE),
  ...each(['logprobs', 'top_logprobs', 'reasoning_effort', 'verbosity', 'modalities'], VALUE),
  ...each(['parallel_tool_calls', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'], VALUE),
  audio: fields(each(['voice', 'format'], VALUE)),
  messages: MESSAGE,
  tools: TOOLS,
  tool_choice: fields({ ...CHOSEN, ...ALLOWED_TOOLS, allowed_tools: fields(ALLOWED_TOOLS) }),
  functions: fields(FUNCTION),
  function_call: fields({ name: VALUE }),
  response_format: fields({
    ...each(['type', 'grammar', 'pattern'], VALUE),
    schema: DATA,
    json_schema: fields({ ...each(['name', 'description', 'strict'], VALUE), schema: DATA }),
  }),
  stream_options: fields(each(['include_usage', 'include_obfuscation'], VALUE)),
  prompt_cache_options: fields(each(['mode', 'ttl'], VALUE)),
  logit_bias: DATA,
  // Replaced or left out.
  ...each(['user', 'safety_identifier', 'metadata', 'store', 'prediction', 'usage'], DATA),
  // Translated for providers that do not know it.
  reasoning: fields(each(['effort', 'max_tokens', 'exclude', 'enabled', 'summary'], VALUE)),
  thinking: fields(each(['type', 'budget_tokens'], VALUE)),
};
/** Providers that take `thinking` as it is. */
const THINKING = new Set(['deepseek', 'moonshot', 'fireworks']);
export const takesThinking = (provider: string): boolean => THINKING.has(provider);
const TEMPLATE = { chat_template_kwargs: fields(each(['thinking', 'enable_thinking'], VALUE)) };
const SAMPLING = each(['min_p', 'repetition_penalty'], VALUE);

/** What servers such as vLLM accept. Their templates stay theirs: one could repeat the prompt. */
const SELF_HOSTED: Record<string, Shape> = {
  ...SAMPLING,
  ...each(['length_penalty', 'min_tokens', 'stop_token_ids', 'include_stop_str_in_output'], VALUE),
  ...each(['skip_special_tokens', 'spaces_between_special_tokens', 'include_reasoning'], VALUE),
  ...each(['guided_json', 'structured_outputs'], DATA),
  ...each(['guided_regex', 'guided_choice', 'guided_grammar'], VALUE),
  ...TEMPLATE,
};

const OWN_FIELDS: Record<string, Record<string, Shape>> = {
  google: {
    extra_body: fields({
      google: fields({
        thinking_config: fields(each(['thinking_budget', 'thinking_level', 'include_thoughts'], VALUE)),
      }),
    }),
  },
  mistral: { random_seed: VALUE },
  deepseek: {},
  moonshot: {},
  groq: each(['reasoning_format', 'include_reasoning', 'disable_tool_validation'], VALUE),
  together: { ...SAMPLING, ...TEMPLATE, context_length_exceeded_behavior: VALUE },
  fireworks: {
    ...SAMPLING,
    ...each(['typical_p', 'mirostat_target', 'mirostat_lr', 'context_length_exceeded_behavior'], VALUE),
    ...each(['reasoning_history', 'prompt_cache_isolation_key'], VALUE),
  },
  openrouter: {
    ...SAMPLING,
    ...each(['top_a', 'include_reasoning', 'structured_outputs'], VALUE),
    cache_control: CACHE.cache_control,
  },
  openai: {},
  xai: {},
  sandbox: {},
};

const SHAPES = new Map(
  Object.entries(OWN_FIELDS).map(([name, own]) => [name, fields({ ...COMMON, ...own })]),
);
const OF_ANY_OTHER = fields({ ...COMMON, ...SELF_HOSTED });

/** The fields that the provider of this name accepts. A provider of the operator's own is one like vLLM. */
export const chatRequestFields = (provider: string): Shape => SHAPES.get(provider) ?? OF_ANY_OTHER;
