import type { Json } from '@/server/protocols/neutral';
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

export type Usage = { input: number; output: number; searches: number };
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
