import type { Json } from '@/server/gateway/protocols/neutral';
import type { Reply } from './scripted-upstream';

/** Responses with a web search that the provider ran, as recorded ones are built. */

const SEARCH_ID = 'srvtoolu_01up';
const PAGE = { url: 'https://example.com/ginza', title: 'The Ginza shop opens' };

const CALL = { type: 'server_tool_use', id: SEARCH_ID, name: 'web_search', input: { query: 'shops, today' } };
const RESULTS = {
  type: 'web_search_tool_result',
  tool_use_id: SEARCH_ID,
  content: [
    { type: 'web_search_result', ...PAGE, encrypted_content: 'RXJrZUNpb0lDQmdD', page_age: '2 days ago' },
    {
      type: 'web_search_result',
      url: 'https://example.com/news',
      title: 'News',
      encrypted_content: 'RXFnZg==',
      page_age: null,
    },
  ],
};
const CITATION = {
  type: 'web_search_result_location',
  ...PAGE,
  cited_text: 'The shop opens on Friday.',
  encrypted_index: 'RW84QkNpb0k=',
};

/** The content of a message with a search, as a client sends it back in the next turn. */
export const SEARCHED: Json[] = [
  CALL,
  RESULTS,
  { type: 'text', text: 'It opens on Friday.', citations: [CITATION] },
];

/** Without a number of searches, the usage does not count them. */
export type Usage = { input: number; output: number; searches?: number };
export const SEARCH_USAGE: Usage = { input: 15_665, output: 795, searches: 1 };

export function searchMessage(usage = SEARCH_USAGE): Reply {
  return { body: { ...MESSAGE, content: SEARCHED, stop_reason: 'end_turn', usage: writeUsage(usage) } };
}

/** The prompt has 2,037 tokens. With `breaksOff`, the connection breaks after the results. */
export function searchStream(usage = SEARCH_USAGE, { breaksOff = false } = {}): Reply {
  const start = { input_tokens: 2_037, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const delta = (index: number, body: Json) => ({ type: 'content_block_delta', index, delta: body });
  const results = [
    { type: 'message_start', message: { ...MESSAGE, usage: { ...start, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { ...CALL, input: {} } },
    delta(0, { type: 'input_json_delta', partial_json: '' }),
    delta(0, { type: 'input_json_delta', partial_json: '{"query": "shops,' }),
    delta(0, { type: 'input_json_delta', partial_json: ' today"}' }),
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: RESULTS },
    { type: 'content_block_stop', index: 1 },
  ];
  if (breaksOff) return { events: results, breaksOff };
  return {
    events: [
      ...results,
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '', citations: [] } },
      delta(2, { type: 'citations_delta', citation: CITATION }),
      delta(2, { type: 'text_delta', text: 'It opens' }),
      delta(2, { type: 'text_delta', text: ' on Friday.' }),
      { type: 'content_block_stop', index: 2 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: writeUsage(usage),
      },
      { type: 'message_stop' },
    ],
  };
}

const MESSAGE = {
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [],
  stop_reason: null,
  stop_sequence: null,
};

const writeUsage = ({ input, output, searches }: Usage): Json => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
  server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
});

/** A response of OpenAI with a search and a page that it opened, in the order of events that its reference documents. */

const CITED = 'It opens on Friday ([example.com](https://example.com/ginza)).';
const START = CITED.indexOf('(');
export const ANNOTATION = {
  type: 'url_citation',
  start_index: START,
  end_index: CITED.length - 1,
  ...PAGE,
};
const SEARCH_CALL = {
  id: 'ws_01up',
  type: 'web_search_call',
  status: 'completed',
  action: {
    type: 'search',
    query: 'shops today',
    queries: ['shops today', 'ginza shop'],
    sources: [
      { type: 'url', url: PAGE.url },
      { type: 'url', url: 'https://example.com/news' },
    ],
  },
};
const OPENED_PAGE = {
  id: 'ws_02up',
  type: 'web_search_call',
  status: 'completed',
  action: { type: 'open_page', url: PAGE.url },
};
const TEXT_PART = { type: 'output_text', text: CITED, annotations: [ANNOTATION], logprobs: [] };
const TEXT_ITEM = {
  id: 'msg_01up',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [TEXT_PART],
};

/** What OpenAI bills: a search, and every reading of the prompt. */
export const OPENAI_USAGE = { input: 21_000, output: 400, searches: 1 };

const writeResponseUsage = ({ input, output }: Omit<Usage, 'searches'>): Json => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: input + output,
});

const RESPONSE = {
  id: 'resp_01up',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'up',
  error: null,
  incomplete_details: null,
  output: [{ id: 'rs_01up', type: 'reasoning', summary: [] }, SEARCH_CALL, OPENED_PAGE, TEXT_ITEM],
};

export function searchResponse(usage: Omit<Usage, 'searches'> = OPENAI_USAGE): Reply {
  return { body: { ...RESPONSE, usage: writeResponseUsage(usage) } };
}

/** With `breaksOff`, the connection breaks after the search. */
export function searchResponseStream(
  usage: Omit<Usage, 'searches'> = OPENAI_USAGE,
  { breaksOff = false } = {},
): Reply {
  const begun = { ...RESPONSE, status: 'in_progress', output: [], usage: null };
  const [reasoning] = RESPONSE.output;
  const text = { item_id: TEXT_ITEM.id, output_index: 3, content_index: 0 };
  const call = (item: Json, output_index: number) => {
    const at = { item_id: item.id, output_index };
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { id: item.id, type: item.type, status: 'in_progress' },
      },
      { type: 'response.web_search_call.in_progress', ...at },
      { type: 'response.web_search_call.searching', ...at },
      { type: 'response.web_search_call.completed', ...at },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  const search = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: reasoning },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    ...call(SEARCH_CALL, 1),
  ];
  const rest = [
    ...call(OPENED_PAGE, 2),
    {
      type: 'response.output_item.added',
      output_index: 3,
      item: { ...TEXT_ITEM, status: 'in_progress', content: [] },
    },
    {
      type: 'response.content_part.added',
      ...text,
      part: { ...TEXT_PART, text: '', annotations: [] },
    },
    { type: 'response.output_text.delta', ...text, delta: CITED.slice(0, START), logprobs: [] },
    { type: 'response.output_text.delta', ...text, delta: CITED.slice(START), logprobs: [] },
    { type: 'response.output_text.annotation.added', ...text, annotation_index: 0, annotation: ANNOTATION },
    { type: 'response.output_text.done', ...text, text: CITED, logprobs: [] },
    { type: 'response.content_part.done', ...text, part: TEXT_PART },
    { type: 'response.output_item.done', output_index: 3, item: TEXT_ITEM },
    { type: 'response.completed', response: { ...RESPONSE, usage: writeResponseUsage(usage) } },
  ];
  const events = (breaksOff ? search : [...search, ...rest]).map((event, sequence_number) => ({
    ...event,
    sequence_number,
  }));
  return { events, breaksOff };
}

/** What OpenRouter bills for a search with its answer, in a chat completion as its reference documents it. */
export const ROUTED_USAGE = { input: 9_000, output: 300, searches: 1, costUsd: 0.0123 };

const ROUTED_ANNOTATION = {
  type: 'url_citation',
  url_citation: {
    ...PAGE,
    content: 'The shop opens on Friday.',
    start_index: START,
    end_index: CITED.length - 1,
  },
};
const ROUTED = { id: 'gen-01up', created: 1, model: 'up', provider: 'Up' };
const routedUsage = (): Json => ({
  prompt_tokens: ROUTED_USAGE.input,
  completion_tokens: ROUTED_USAGE.output,
  total_tokens: ROUTED_USAGE.input + ROUTED_USAGE.output,
  cost: ROUTED_USAGE.costUsd,
  server_tool_use_details: {
    tool_calls_requested: 1,
    tool_calls_executed: 1,
    web_search_requests: ROUTED_USAGE.searches,
  },
});

export function routedSearch(): Reply {
  const message = { role: 'assistant', content: CITED, annotations: [ROUTED_ANNOTATION] };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { body: { ...ROUTED, object: 'chat.completion', choices, usage: routedUsage() } };
}

/** With `breaksOff`, the connection breaks before the usage. */
export function routedSearchStream({ breaksOff = false } = {}): Reply {
  const head = { ...ROUTED, object: 'chat.completion.chunk' };
  const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    chunk({ role: 'assistant', content: CITED.slice(0, START) }),
    chunk({ content: CITED.slice(START) }),
    chunk({ content: '', annotations: [ROUTED_ANNOTATION] }),
  ];
  if (breaksOff) return { events, breaksOff };
  return { events: [...events, chunk({}, 'stop'), { ...head, choices: [], usage: routedUsage() }] };
}
