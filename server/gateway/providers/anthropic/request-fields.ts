import { DATA, each, fields, keepKnownFields, VALUE, variants } from '../../protocols/known-fields';
import type { CountTokensRequest } from '../../protocols/messages/schema';

/**
 * The fields of a messages request that reach a provider: those that Anthropic's reference documents (November
 * 2026) and that do not change the price, the model or what the hold has to cover. Others are dropped with a
 * warning.
 */

const CACHE = { cache_control: fields(each(['type', 'ttl', 'scope'], VALUE)) };
const CITATIONS = fields({ enabled: VALUE });
const CITED = fields(
  each(
    [
      'type',
      'cited_text',
      'document_index',
      'document_title',
      'start_char_index',
      'end_char_index',
      'start_page_number',
      'end_page_number',
      'start_block_index',
      'end_block_index',
      'url',
      'title',
      'source',
      'search_result_index',
      'encrypted_index',
    ],
    VALUE,
  ),
);

const TEXT = fields({ ...each(['type', 'text'], VALUE), citations: CITED, ...CACHE });
const IMAGE = fields({
  type: VALUE,
  source: variants('sources', {
    base64: fields(each(['type', 'media_type', 'data'], VALUE)),
    url: fields(each(['type', 'url'], VALUE)),
  }),
  ...CACHE,
});
const DOCUMENT = fields({
  ...each(['type', 'title', 'context'], VALUE),
  source: variants('sources', {
    base64: fields(each(['type', 'media_type', 'data'], VALUE)),
    text: fields(each(['type', 'media_type', 'data'], VALUE)),
    url: fields(each(['type', 'url'], VALUE)),
    content: fields({ type: VALUE, content: variants('blocks', { text: TEXT, image: IMAGE }) }),
  }),
  citations: CITATIONS,
  ...CACHE,
});
const SEARCH_RESULT = fields({
  ...each(['type', 'source', 'title'], VALUE),
  content: variants('blocks', { text: TEXT }),
  citations: CITATIONS,
  ...CACHE,
});
const CONTENT = { text: TEXT, image: IMAGE, document: DOCUMENT, search_result: SEARCH_RESULT };

const CALL = {
  ...each(['type', 'id', 'name'], VALUE),
  input: DATA,
  caller: fields({ type: VALUE }),
  ...CACHE,
};

/** Of the tools that the provider runs, only searches: results of others may contain more than the hold covers. */
const BLOCKS = variants('blocks', {
  ...CONTENT,
  tool_use: fields(CALL),
  server_tool_use: fields(CALL),
  web_search_tool_result: fields({
    ...each(['type', 'tool_use_id'], VALUE),
    content: variants('results', {
      web_search_result: fields(each(['type', 'title', 'url', 'page_age', 'encrypted_content'], VALUE)),
      web_search_tool_result_error: fields(each(['type', 'error_code'], VALUE)),
    }),
    caller: fields({ type: VALUE }),
    ...CACHE,
  }),
  tool_result: fields({
    ...each(['type', 'tool_use_id', 'is_error'], VALUE),
    content: variants('blocks', {
      ...CONTENT,
      tool_reference: fields({ ...each(['type', 'tool_name'], VALUE), ...CACHE }),
    }),
    ...CACHE,
  }),
  thinking: fields(each(['type', 'thinking', 'signature'], VALUE)),
  redacted_thinking: fields(each(['type', 'data'], VALUE)),
});

const TOOL = {
  ...each(['type', 'name', 'strict', 'defer_loading', 'allowed_callers'], VALUE),
  input_examples: DATA,
  ...CACHE,
};
const CUSTOM_TOOL = fields({
  ...TOOL,
  ...each(['description', 'eager_input_streaming'], VALUE),
  input_schema: DATA,
});

/** Tools that the client runs, and web search. Others read what no hold can predict. */
const TOOLS = variants(
  'tools',
  {
    '': CUSTOM_TOOL,
    custom: CUSTOM_TOOL,
    bash_: fields(TOOL),
    text_editor_: fields({ ...TOOL, max_characters: VALUE }),
    computer_: fields({
      ...TOOL,
      ...each(['display_width_px', 'display_height_px', 'display_number', 'enable_zoom'], VALUE),
    }),
    memory_: fields(TOOL),
    web_search_: fields({
      ...TOOL,
      ...each(['max_uses', 'allowed_domains', 'blocked_domains'], VALUE),
      user_location: fields(each(['type', 'city', 'region', 'country', 'timezone'], VALUE)),
    }),
  },
  (type) => type.replace(/\d{8}$/, ''),
);

const LIMIT = fields(each(['type', 'value'], VALUE));
const CONTEXT_EDITS = variants(
  'edits',
  {
    clear_tool_uses_: fields({
      ...each(['type', 'exclude_tools', 'clear_tool_inputs'], VALUE),
      ...each(['trigger', 'keep', 'clear_at_least'], LIMIT),
    }),
    clear_thinking_: fields({ type: VALUE, keep: LIMIT }),
  },
  (type) => type.replace(/\d{8}$/, ''),
);

const FORMAT = fields({ ...each(['type', 'name'], VALUE), schema: DATA });

const REQUEST = fields({
  ...each(['model', 'stream', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences'], VALUE),
  messages: fields({ role: VALUE, content: BLOCKS }),
  system: variants('blocks', { text: TEXT }),
  thinking: fields(each(['type', 'budget_tokens', 'display'], VALUE)),
  tools: TOOLS,
  tool_choice: fields(each(['type', 'name', 'disable_parallel_tool_use'], VALUE)),
  output_config: fields({ effort: VALUE, format: FORMAT }),
  output_format: FORMAT,
  context_management: fields({ edits: CONTEXT_EDITS }),
  ...CACHE,
  // Replaced or left out.
  ...each(['metadata', 'service_tier', 'diagnostics'], DATA),
  // Only values without an effect are accepted.
  ...each(['speed', 'inference_geo'], VALUE),
  ...each(['container', 'mcp_servers', 'fallbacks', 'thread'], VALUE),
});

/** Returns the request without unknown fields, and adds a warning for each. */
export const keepMessagesFields = <Request extends CountTokensRequest>(
  request: Request,
  warnings: string[],
): Request => keepKnownFields(request, REQUEST, warnings);
