import { describe, expect, test } from 'vitest';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import type { Json } from '@/server/gateway/protocols/neutral';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion, message } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

/** What of a request reaches a provider: known fields and content whose price is bounded, and nothing else. */

const VENDORS = {
  openai: 'openai/gpt-4.1-mini',
  google: 'google/gemini-2.5-flash',
  xai: 'xai/grok-4.3',
  mistral: 'mistral/mistral-large-2512',
  deepseek: 'deepseek/deepseek-v4-pro',
  groq: 'groq/llama-3.3-70b-versatile',
  together: 'together/MiniMaxAI/MiniMax-M3',
  fireworks: 'fireworks/accounts/fireworks/models/glm-5p1',
  openrouter: 'openrouter/amazon/nova-2-lite-v1',
  moonshot: 'moonshot/kimi-k2.6',
  anthropic: 'anthropic/claude-haiku-4-5',
};
const OWN = modelOf('own');
const MODELS = [...Object.values(VENDORS), OWN, modelOf('own-claude')];
const READS_PDF = new Set([VENDORS.openai, VENDORS.openrouter, VENDORS.anthropic, modelOf('own-claude')]);

await newDatabase();
const upstream = await startScriptedUpstream();
for (const vendor of Object.keys(VENDORS)) {
  process.env[`${vendor.toUpperCase()}_API_KEY`] = 'key-of-the-operator';
  process.env[`${vendor.toUpperCase()}_BASE_URL`] = `${upstream.url}/v1`;
}
configureProviders(upstream.url, [
  { provider: 'own', format: 'openai' },
  { provider: 'own-claude', format: 'anthropic' },
]);
const api = await startApi();
const person = await newPerson({ credits: 100_000 });

const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  count: '/v1/messages/count_tokens',
};
type Format = keyof typeof PATHS;

const upstreamName = (id: string): string => findCatalogModel(id)?.upstreamModel ?? '';
const isClaude = (id: string): boolean => id.includes('claude');

/** Sends a request, and returns the response with what reached the provider; undefined if nothing did. */
async function send(format: Format, id: string, body: Json) {
  const name = upstreamName(id);
  upstream.script(
    name,
    isClaude(id) ? message([{ type: 'text', text: 'Hello' }]) : completion({ content: 'Hello' }),
  );
  const response = await fetch(api.url + PATHS[format], {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: id, max_tokens: 50, ...body }),
  });
  const { error } = (await response.json()) as { error?: { message: string; type: string } };
  return {
    status: response.status,
    error,
    warnings: response.headers.get('x-svc-warnings') ?? '',
    sent: upstream.seen(name)[0]?.body,
  };
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Page>>endobj').toString('base64');
const DOCX = Buffer.from('PK\x03\x04[Content_Types].xml').toString('base64');
const SCHEMA = { type: 'object', properties: { place: { type: 'string' } } };

const user = (...content: Json[]): Json => ({ messages: [{ role: 'user', content }] });
const imageUrl = (url: string): Json => user({ type: 'image_url', image_url: { url } });
const file = (given: Json): Json => user({ type: 'file', file: { filename: 'a', ...given } });
const image = (source: Json): Json => user({ type: 'image', source });

function fullChat(id: string): Json {
  const call = { id: 'call_123456', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  const pdf = { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } };
  return {
    temperature: 0.5,
    stop: ['END'],
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
          ...(READS_PDF.has(id) ? [pdf] : []),
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_123456', content: [{ type: 'text', text: 'sunny' }] },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: SCHEMA } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema: SCHEMA } },
    reasoning: { effort: 'low' },
    thinking: { type: 'disabled' },
    prompt_cache_options: { mode: 'implicit' },
    extra_body: { google: { thinking_config: { include_thoughts: true } } },
    chat_template_kwargs: { enable_thinking: false },
    logit_bias: { 50256: -1 },
  };
}

function fullMessages(id: string): Json {
  const document = { type: 'base64', media_type: 'application/pdf', data: PDF };
  const pages = { type: 'content', content: [{ type: 'text', text: 'Page' }] };
  const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  return {
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          png,
          { type: 'document', source: pages, citations: { enabled: false } },
          ...(READS_PDF.has(id) ? [{ type: 'document', source: document }] : []),
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'sunny' }, png] },
        ],
      },
    ],
    tools: [{ name: 'f', description: 'F', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'disabled' },
    output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    context_management: {
      edits: [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 3 } }],
    },
  };
}

/** Keys below these are data of the client, not fields of the format. */
const DATA = new Set(['parameters', 'input_schema', 'schema', 'input', 'logit_bias']);
const CANARY = 'canary_field';

/** Adds an unknown field to every object, at every level. */
function addCanaries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addCanaries);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, own]) => [name, DATA.has(name) ? own : addCanaries(own)]);
  return { ...Object.fromEntries(inner), [CANARY]: { [CANARY]: ['canary'] } };
}

describe('an unknown field at any level never reaches the provider @attack', () => {
  const cases = (['chat', 'messages'] as const).flatMap((format) =>
    MODELS.map((id) => ({ format, id, full: format === 'chat' ? fullChat(id) : fullMessages(id) })),
  );
  test.each(cases)('$format to $id', async ({ format, id, full }) => {
    const plain = await send(format, id, full);
    expect(plain.error).toBeUndefined();
    const marked = await send(format, id, addCanaries(full) as Json);
    expect(marked.error).toBeUndefined();
    expect(JSON.stringify(marked.sent)).not.toContain('canary');
    expect(marked.sent).toEqual(plain.sent);
    expect(marked.warnings).toContain(`${CANARY} was dropped`);
  });

  test('nor the endpoint that counts tokens', async () => {
    const { max_tokens: _, ...full } = { max_tokens: 0, ...fullMessages(VENDORS.anthropic) };
    const { sent } = await send('count', VENDORS.anthropic, addCanaries(full) as Json);
    expect(sent).toHaveProperty('tools');
    expect(JSON.stringify(sent)).not.toContain('canary');
  });

  test('and thousands of them are named by a short header', async () => {
    const many = Object.fromEntries(Array.from({ length: 4_900 }, (_, i) => [`x${i}`, {}]));
    const { status, warnings } = await send('chat', VENDORS.openai, { ...user(), ...many });
    expect([status, warnings.split('; ').length]).toEqual([200, 20]);
  });
});

test.each<[string, string, Json, Json]>([
  [
    'Google’s cached content and its own spelling of a field',
    VENDORS.google,
    {
      extra_body: { google: { cached_content: 'c', thinking_config: { thinking_budget: 9 } } },
      google: { cached_content: 'c' },
      speed: 'fast',
    },
    { extra_body: { google: { thinking_config: { thinking_budget: 9 } } } },
  ],
  [
    'a second pass over the output',
    VENDORS.together,
    { safety_model: 'x', echo: true, min_p: 0.1 },
    { min_p: 0.1 },
  ],
  ['documents for a template', OWN, { documents: [{ text: 'book' }], chat_template: '{{ x }}' }, {}],
  ['beams and candidates of a server', OWN, { best_of: 20, use_beam_search: true, top_k: 4 }, { top_k: 4 }],
])('is dropped with a warning: %s', async (_, id, fields, kept) => {
  const { sent, warnings } = await send('chat', id, { ...user({ type: 'text', text: 'Hi' }), ...fields });
  const { model: _m, messages: _s, max_tokens: _t, max_completion_tokens: _c, ...others } = sent ?? {};
  expect(others).toEqual(kept);
  for (const name of Object.keys(fields).filter((field) => !(field in kept)))
    expect(warnings).toContain(`${name} was dropped`);
});

const PRIVATE_URLS = [
  'http://169.254.169.254/latest/meta-data',
  'http://images.example.com/a.png',
  'https://169.254.169.254/latest',
  'https://127.0.0.1:8000/a.png',
  'https://2130706433/a.png',
  'https://0x7f.1/a.png',
  'https://[::1]/a.png',
  'https://localhost/a.png',
  'https://vault.internal/a.png',
  'https://images.example.com\\@169.254.169.254/a.png',
  'https://images.example.com@169.254.169.254/a.png',
  'file:///etc/passwd',
  'ftp://images.example.com/a.png',
];
const NO_IMAGES = [
  `data:application/pdf;base64,${PDF}`,
  'data:video/mp4;base64,AAAAIGZ0eXBpc29t',
  'data:image/svg+xml,<svg/>',
  `data:image/png;base64,${PDF}`,
  `data:;base64,${PDF}`,
];
const PROVIDER_TOOLS = [
  'web_search',
  'web_fetch_20250910',
  'code_execution_20250825',
  'advisor_20260301',
  'bash_code_execution_20250825',
  'image_generation_20260101',
  'file_search_20260101',
  'mcp_toolset',
  'tool_search_tool_regex_20251119',
  'text_editor_code_execution_20250825',
  'memory',
  'bash_latest',
];
const FLAGS = { a: [true, null] };
const VALUE_CALLS: [string, Json, string][] = [
  [
    'arguments',
    { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: FLAGS } }] },
    'tool_calls.0.function.arguments',
  ],
  [
    'inputs',
    { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: FLAGS } }] },
    'tool_calls.0.custom.input',
  ],
  ['old arguments', { function_call: { name: 'f', arguments: FLAGS } }, 'function_call.arguments'],
];
const UPLOAD = { type: 'file', file_id: 'file_1' };

describe('is refused before anything reaches the provider: @attack', () => {
  const chat = [VENDORS.openai, VENDORS.google, VENDORS.openrouter, VENDORS.anthropic, OWN];
  const rows: [string, Format, string, Json, string][] = [
    ...chat.flatMap((id) =>
      [...PRIVATE_URLS, ...NO_IMAGES].map((url): [string, Format, string, Json, string] => [
        `the image ${url.slice(0, 60)}`,
        'chat',
        id,
        imageUrl(url),
        'messages.0.content.0.image_url.url',
      ]),
    ),
    ...PRIVATE_URLS.map((url): [string, Format, string, Json, string] => [
      `the image ${url}`,
      'messages',
      VENDORS.anthropic,
      image({ type: 'url', url }),
      'messages.0.content.0.source.url',
    ]),
    ...[VENDORS.openai, VENDORS.openrouter, VENDORS.anthropic].flatMap(
      (id): [string, Format, string, Json, string][] => [
        [
          'a Word file',
          'chat',
          id,
          file({
            file_data: `data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,${DOCX}`,
          }),
          'messages.0.content.0.file.file_data',
        ],
        [
          'a Word file that is called a PDF',
          'chat',
          id,
          file({ file_data: `data:application/pdf;base64,${DOCX}` }),
          'messages.0.content.0.file.file_data',
        ],
        [
          'a PDF by URL',
          'chat',
          id,
          file({ file_data: 'https://files.example.com/a.pdf' }),
          'messages.0.content.0.file.file_data',
        ],
        [
          'a file by URL',
          'chat',
          id,
          file({ file_url: 'https://files.example.com/a.pdf' }),
          'messages.0.content.0.file.file_url',
        ],
        ['an uploaded file', 'chat', id, file({ file_id: 'file-1' }), 'messages.0.content.0'],
      ],
    ),
    ...[VENDORS.xai, VENDORS.groq, OWN].map((id): [string, Format, string, Json, string] => [
      'a PDF for a provider that reads none',
      'chat',
      id,
      file({ file_data: `data:application/pdf;base64,${PDF}` }),
      'messages.0.content',
    ]),
    ...[VENDORS.openai, VENDORS.mistral, VENDORS.anthropic].flatMap((id) =>
      VALUE_CALLS.map(([what, call, place]): [string, Format, string, Json, string] => [
        `${what} that are not text`,
        'chat',
        id,
        {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', ...call },
          ],
        },
        `messages.1.${place}`,
      ]),
    ),
    ...[VENDORS.openai, VENDORS.anthropic].map((id): [string, Format, string, Json, string] => [
      'a file with a name of 256 characters',
      'chat',
      id,
      file({ filename: 'a'.repeat(256), file_data: `data:application/pdf;base64,${PDF}` }),
      'messages.0.content.0.file.filename',
    ]),
    [
      'a tool without a type',
      'chat',
      VENDORS.google,
      { ...user(), tools: [{ google_search: {} }] },
      'tools.0.type',
    ],
    ['a tool of xAI', 'chat', VENDORS.xai, { ...user(), tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [
      'a recording',
      'chat',
      VENDORS.openai,
      user({ type: 'input_audio', input_audio: {} }),
      'messages.0.content.0.type',
    ],
    [
      'a part without a type',
      'chat',
      OWN,
      user({ image_url: { url: 'http://10.0.0.1' } }),
      'messages.0.content.0.type',
    ],
    [
      'content that is no list',
      'chat',
      OWN,
      { messages: [{ role: 'user', content: { type: 'image_url', image_url: { url: 'http://10.0.0.1' } } }] },
      'messages.0.content',
    ],
    ['other providers', 'chat', VENDORS.openrouter, { ...user(), provider: { order: ['x'] } }, 'provider'],
    [
      'live search',
      'chat',
      VENDORS.xai,
      { ...user(), search_parameters: { mode: 'on' } },
      'search_parameters',
    ],
    ...PROVIDER_TOOLS.map((type): [string, Format, string, Json, string] => [
      `the tool ${type}`,
      'messages',
      VENDORS.anthropic,
      { ...user({ type: 'text', text: 'Hi' }), tools: [{ type, name: 't' }] },
      'tools.0.type',
    ]),
    ...(['messages', 'count'] as const).flatMap((format): [string, Format, string, Json, string][] => [
      [
        'an uploaded image inside a document',
        format,
        VENDORS.anthropic,
        user({
          type: 'document',
          source: {
            type: 'content',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image', source: UPLOAD },
            ],
          },
        }),
        'messages.0.content.0.source.content.1',
      ],
      [
        'an uploaded document in the system prompt',
        format,
        VENDORS.anthropic,
        { ...user({ type: 'text', text: 'Hi' }), system: [{ type: 'document', source: UPLOAD }] },
        'system.0',
      ],
      [
        'an uploaded document in the result of a tool',
        format,
        VENDORS.anthropic,
        user({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source: UPLOAD }] }),
        'messages.0.content.0.content.0',
      ],
      [
        'a fetched page',
        format,
        VENDORS.anthropic,
        user({ type: 'web_fetch_tool_result', tool_use_id: 't', content: { type: 'web_fetch_result' } }),
        'messages.0.content.0.type',
      ],
      [
        'a video that is called a PDF',
        format,
        VENDORS.anthropic,
        user({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: DOCX } }),
        'messages.0.content.0.source.data',
      ],
      [
        'an image by URL next to a small one',
        format,
        VENDORS.anthropic,
        image({ type: 'url', url: 'https://images.example.com/a.png', data: PNG }),
        'messages.0.content.0.source.data',
      ],
      [
        'a list of sources',
        format,
        VENDORS.anthropic,
        user({ type: 'image', source: [{ type: 'url', url: 'http://10.0.0.1/a.png' }] }),
        'messages.0.content.0.source',
      ],
      [
        'a PDF that is called an image',
        format,
        VENDORS.anthropic,
        image({ type: 'base64', media_type: 'image/png', data: PDF }),
        'messages.0.content.0.source',
      ],
    ]),
  ];
  test.each(rows)('%s, %s to %s', async (_, format, id, body, param) => {
    const { status, error, sent } = await send(format, id, body);
    expect([status, error?.type, sent]).toEqual([400, 'invalid_request', undefined]);
    expect(error?.message.slice(0, param.length + 1)).toBe(`${param}:`);
  });
});

test('a part inside a list of its own is dropped with a warning', async () => {
  const nested = [{ type: 'text', text: 'Hi' }, imageUrl('http://10.0.0.1').messages];
  const { sent, warnings } = await send('chat', OWN, { messages: [{ role: 'user', content: nested }] });
  expect(sent?.messages).toEqual([{ role: 'user', content: [nested[0]] }]);
  expect(warnings).toBe('messages.content was dropped');
});

test('an image at a public address is passed on as it is @attack', async () => {
  const url = 'https://images.example.com/a.png?sig=%2Fx#top';
  const chat = await send('chat', OWN, imageUrl(url));
  expect(chat.sent?.messages).toEqual(imageUrl(url).messages);
  const source = { type: 'url', url };
  const messages = await send('messages', VENDORS.anthropic, image(source));
  expect(messages.sent?.messages).toEqual(image(source).messages);
});
