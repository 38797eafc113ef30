import { DATA, each, fields, type Shape, VALUE, variants } from '../../protocols/known-fields';

/**
 * The fields of a responses request that reach OpenAI: those that its reference documents (November 2026) and
 * that do not change the price, the model or what the hold has to cover. Others are dropped with a warning.
 */

const CACHE = { prompt_cache_breakpoint: fields(each(['mode', 'ttl'], VALUE)) };
const TEXT = fields({ ...each(['type', 'text'], VALUE), annotations: DATA, logprobs: DATA, ...CACHE });
const PARTS = variants('parts', {
  input_text: TEXT,
  output_text: TEXT,
  summary_text: TEXT,
  reasoning_text: TEXT,
  refusal: fields(each(['type', 'refusal'], VALUE)),
  input_image: fields({ ...each(['type', 'image_url', 'detail'], VALUE), ...CACHE }),
  input_file: fields({ ...each(['type', 'file_data', 'file_url', 'filename'], VALUE), ...CACHE }),
});

const CALLER = fields(each(['type', 'caller_id'], VALUE));
const CALL = each(['id', 'type', 'status', 'call_id', 'name', 'namespace'], VALUE);
const OUTPUT = fields({ ...each(['id', 'type', 'status', 'call_id'], VALUE), output: PARTS, caller: CALLER });
const MESSAGE = fields({ ...each(['id', 'type', 'role', 'status', 'phase'], VALUE), content: PARTS });
const ITEMS = variants(
  'items',
  {
    message: MESSAGE,
    function_call: fields({ ...CALL, arguments: VALUE, caller: CALLER }),
    function_call_output: OUTPUT,
    custom_tool_call: fields({ ...CALL, input: VALUE, caller: CALLER }),
    custom_tool_call_output: OUTPUT,
    web_search_call: fields({ ...each(['id', 'type', 'status'], VALUE), action: DATA }),
    reasoning: fields({
      ...each(['id', 'type', 'status', 'encrypted_content'], VALUE),
      summary: PARTS,
      content: PARTS,
    }),
  },
  (type) => type || 'message',
);

const FUNCTION = fields({
  ...each(['type', 'name', 'description', 'strict', 'defer_loading'], VALUE),
  ...each(['parameters', 'output_schema'], DATA),
});
const CUSTOM = fields({
  ...each(['type', 'name', 'description', 'defer_loading'], VALUE),
  format: fields(each(['type', 'syntax', 'definition'], VALUE)),
});
const CALLABLE = { function: FUNCTION, custom: CUSTOM };
const TOOLS = variants(
  'tools',
  {
    ...CALLABLE,
    namespace: fields({
      ...each(['type', 'name', 'description'], VALUE),
      tools: variants('tools', CALLABLE),
    }),
    web_search: fields({
      ...each(['type', 'search_context_size', 'external_web_access'], VALUE),
      filters: fields(each(['allowed_domains', 'blocked_domains'], VALUE)),
      user_location: fields(each(['type', 'city', 'region', 'country', 'timezone'], VALUE)),
    }),
  },
  (type) => type.replace(/_\d{4}_\d{2}_\d{2}$/, ''),
);
const CHOSEN = each(['type', 'name', 'namespace'], VALUE);

export const RESPONSES_FIELDS: Shape = fields({
  ...each(['model', 'instructions', 'stream', 'temperature', 'top_p', 'top_logprobs'], VALUE),
  ...each(['parallel_tool_calls', 'max_output_tokens', 'truncation', 'include'], VALUE),
  ...each(['prompt_cache_key', 'prompt_cache_retention'], VALUE),
  prompt_cache_options: fields(each(['mode', 'ttl'], VALUE)),
  input: ITEMS,
  tools: TOOLS,
  tool_choice: fields({ ...CHOSEN, mode: VALUE, tools: fields(CHOSEN) }),
  reasoning: fields(each(['effort', 'summary'], VALUE)),
  text: fields({
    verbosity: VALUE,
    format: fields({ ...each(['type', 'name', 'description', 'strict'], VALUE), schema: DATA }),
  }),
  stream_options: fields(each(['include_obfuscation'], VALUE)),
  // Replaced or left out.
  ...each(['user', 'safety_identifier', 'metadata', 'store', 'service_tier', 'previous_response_id'], DATA),
  ...each(['background', 'conversation', 'prompt', 'client_metadata'], DATA),
});
