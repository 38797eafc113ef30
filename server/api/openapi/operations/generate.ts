import type { ErrorCode } from '../../../base/errors';
import { inputItemsQuerySchema } from '../../../gateway/run/stored-responses';
import type { Operation } from '../operation';

export const ERRORS: ErrorCode[] = [
  'invalid_request',
  'content_refused',
  'missing_api_key',
  'invalid_user_key',
  'insufficient_credits',
  'partner_not_permitted',
  'partner_limit_reached',
  'model_not_allowed',
  'partner_disabled',
  'key_restricted',
  'paused_for_review',
  'model_not_found',
  'request_too_large',
  'unsupported_encoding',
  'rate_limited',
  'upstream_error',
];

/** A request that costs nothing needs no credits, but the user may have stopped the app. */
const ERRORS_OF_FREE = ERRORS.filter(
  (code) => code !== 'insufficient_credits' && code !== 'partner_not_permitted',
);

const ERRORS_OF_COUNTS: ErrorCode[] = [
  'invalid_request',
  'missing_api_key',
  'invalid_user_key',
  'model_not_allowed',
  'partner_disabled',
  'key_restricted',
  'model_not_found',
  'request_too_large',
  'unsupported_encoding',
];

export const ERRORS_OF_KEPT: ErrorCode[] = [
  'missing_api_key',
  'invalid_user_key',
  'partner_disabled',
  'key_restricted',
  'not_found',
];

const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    description:
      'A key of your choice, 1 to 255 printable characters, unique for the user in your app. For 24 hours, a repetition with the same key and body gets the same response and costs nothing. While the first request runs, it waits. The key of a request that cost nothing can be used again.',
    example: '0192f8c4-6a0e-7c1b-9d43-3c1f5a7e2b60',
  },
};

const LIMITS = {
  'x-svc-max-credits': {
    description:
      'The most credits that the request may cost, with at most 6 decimals. Output is limited to what they pay for (`x-svc-output-cap`). A request that cannot cost so little is refused (402, `param: "max_credits"`), and the message says what would do.',
    example: '2.5',
  },
  'x-svc-quote': {
    description:
      'The id of a quote that this key requested in the last ten minutes. The request costs at most its maximum.',
    example: 'quo_AeX9v1mYtQ4m7XK2kPzS5cW8rT3uB6nJ0hGdLfVaQ1wEoRiYpUtZxCvBnM',
  },
  'x-svc-run': {
    description:
      'An id of your choice, 1 to 64 letters, digits or any of `. _ : -`, that groups requests of the user in your app.',
    example: 'nightly-7',
  },
  'x-svc-run-max-credits': {
    description:
      'The most that the requests of the run may cost together. The first one sets it; later ones repeat it, or send none.',
    example: '10',
  },
};

const ERRORS_OF_REPETITION: ErrorCode[] = ['idempotency_conflict', 'already_charged'];

/** What requests to models have in common. */
export const GENERATION: Pick<
  Operation,
  'method' | 'group' | 'auth' | 'requestHeaders' | 'errorFormat' | 'errors'
> = {
  method: 'post',
  group: 'generate',
  auth: 'user-key',
  requestHeaders: { ...IDEMPOTENCY_KEY, ...LIMITS },
  errorFormat: 'chat',
  errors: [...ERRORS, ...ERRORS_OF_REPETITION],
};

const RESPONSE = {
  id: 'resp_5hQk2vX8yTzN',
  object: 'response',
  created_at: 1795996800,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'sandbox/story',
  output: [
    {
      id: 'msg_5hQk2vX8yTzN',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'The sea was calm that morning.', annotations: [], logprobs: [] },
      ],
    },
  ],
  store: true,
  usage: {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 19,
  },
};

const QUESTION = { role: 'user', content: 'Tell me about the sea' };
const WEATHER = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
};

const TRANSCRIPT = {
  text: 'The sea was calm that morning.',
  usage: { type: 'duration', seconds: 3, cost: 0.0003 },
};

const IMAGE_LIST = {
  created: 1_764_374_400,
  data: [{ b64_json: 'iVBORw0KGgo…' }],
  usage: { input_tokens: 9, output_tokens: 196, total_tokens: 205, cost: 0.0079 },
};

const ofRecordings = (schema: 'TranscriptionRequest' | 'TranslationRequest') =>
  ({
    body: {
      schema,
      isMultipart: true,
      examples: {
        short: {
          summary: 'A recording',
          value: { model: 'sandbox/listen', file: '@voice.wav' },
        },
      },
    },
    response: {
      description: 'The transcript. Text if `response_format` is `text`, `srt` or `vtt`.',
      schema: 'Transcription',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: TRANSCRIPT,
    },
  }) satisfies Partial<Operation>;

export const GENERATE: Operation[] = [
  {
    ...GENERATION,
    id: 'createChatCompletion',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    description:
      'The chat completions format, with streaming, tools, images, documents, structured output and reasoning. Documented fields of the provider that cost nothing extra are passed on, even if they are not listed here. Others are dropped, and `x-svc-warnings` names them; parts and tools of another type are refused. An image is inline or at a public `https` URL, a document is a PDF in `file_data`. Without an output limit, the response can be as long as the balance can pay for.',
    body: {
      schema: 'ChatRequest',
      examples: {
        short: { summary: 'A question', value: { model: 'sandbox/story', messages: [QUESTION] } },
        stream: {
          summary: 'A stream with usage',
          value: {
            model: 'sandbox/story',
            messages: [QUESTION],
            stream: true,
            stream_options: { include_usage: true },
          },
        },
        tools: {
          summary: 'With a tool',
          value: {
            model: 'sandbox/tool',
            messages: [{ role: 'user', content: 'What is the weather in Lisbon?' }],
            tools: [{ type: 'function', function: { name: 'get_weather', parameters: WEATHER } }],
          },
        },
      },
    },
    response: {
      description: 'The response. A streamed request is settled before the last bytes are sent.',
      schema: 'ChatCompletion',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-output-cap', 'x-svc-warnings'],
      example: {
        id: 'chatcmpl-5hQk2vX8yTzN',
        object: 'chat.completion',
        created: 1795996800,
        model: 'sandbox/story',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'The sea was calm that morning.', refusal: null },
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 7,
          total_tokens: 19,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
      stream: {
        event: 'ChatCompletionChunk',
        example: [
          'data: {"id":"chatcmpl-5hQk2vX8yTzN","object":"chat.completion.chunk","created":1795996800,"model":"sandbox/story","choices":[{"index":0,"delta":{"role":"assistant","content":"The sea"},"finish_reason":null}]}',
          'data: {"id":"chatcmpl-5hQk2vX8yTzN","object":"chat.completion.chunk","created":1795996800,"model":"sandbox/story","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
          'data: [DONE]',
          '',
        ].join('\n\n'),
      },
    },
  },
  {
    id: 'createMessage',
    method: 'post',
    path: '/v1/messages',
    group: 'generate',
    summary: 'Create a message',
    description:
      'The messages format, with streaming, thinking, tools, images and documents. Client libraries of this format expect the base URL without `/v1`, because they append it.',
    auth: 'user-key',
    requestHeaders: {
      ...IDEMPOTENCY_KEY,
      ...LIMITS,
      'anthropic-version': {
        description: 'Sent by the official client libraries. Optional.',
        example: '2023-06-01',
      },
    },
    body: {
      schema: 'MessagesRequest',
      examples: {
        short: {
          summary: 'A question',
          value: { model: 'sandbox/story', max_tokens: 500, messages: [QUESTION] },
        },
        stream: {
          summary: 'A stream',
          value: { model: 'sandbox/story', max_tokens: 500, messages: [QUESTION], stream: true },
        },
        system: {
          summary: 'With a system prompt and an image',
          value: {
            model: 'sandbox/echo',
            max_tokens: 500,
            system: 'Answer in one sentence.',
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'What do you see?' },
                  { type: 'image', source: { type: 'url', url: 'https://example.com/harbour.jpg' } },
                ],
              },
            ],
          },
        },
      },
    },
    response: {
      description: 'The response. A streamed request is settled before the last bytes are sent.',
      schema: 'Message',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-output-cap', 'x-svc-warnings'],
      example: {
        id: 'msg_5hQk2vX8yTzN',
        type: 'message',
        role: 'assistant',
        model: 'sandbox/story',
        content: [{ type: 'text', text: 'The sea was calm that morning.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 12,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 7,
        },
      },
      stream: {
        event: 'MessageEvent',
        example: [
          'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The sea"}}',
          'event: message_stop\ndata: {"type":"message_stop"}',
          '',
        ].join('\n\n'),
      },
    },
    errorFormat: 'messages',
    errors: GENERATION.errors,
  },
  {
    ...GENERATION,
    id: 'createResponse',
    path: '/v1/responses',
    summary: 'Create a response',
    description:
      'The responses format, with streaming, tools, images, documents, structured output and reasoning. Responses are kept encrypted for a short time, one hour unless the operator sets another, so that `previous_response_id` and `item_reference` find them; each use extends it. With `store: false`, they are not kept. Tools that run at the provider, `background`, `conversation` and `prompt` are refused.',
    body: {
      schema: 'ResponsesRequest',
      examples: {
        short: { summary: 'A question', value: { model: 'sandbox/story', input: QUESTION.content } },
        stream: {
          summary: 'A stream',
          value: { model: 'sandbox/story', input: QUESTION.content, stream: true },
        },
        tools: {
          summary: 'With a tool',
          value: {
            model: 'sandbox/tool',
            input: [{ role: 'user', content: 'What is the weather in Lisbon?' }],
            tools: [{ type: 'function', name: 'get_weather', parameters: WEATHER }],
          },
        },
      },
    },
    response: {
      description: 'The response. A streamed request is settled before the last event is sent.',
      schema: 'Response',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-output-cap', 'x-svc-warnings'],
      example: RESPONSE,
      stream: {
        event: 'ResponseEvent',
        example: [
          'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_5hQk2vX8yTzN","output_index":0,"content_index":0,"delta":"The sea","logprobs":[]}',
          `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: 9, response: RESPONSE })}`,
          '',
        ].join('\n\n'),
      },
    },
  },
  {
    id: 'readResponse',
    method: 'get',
    path: '/v1/responses/{id}',
    group: 'generate',
    summary: 'Read a kept response',
    description:
      'Returns a response of the responses format, while it is kept, without its `instructions`, `tools` and `text`, which repeat the request. Free of charge.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The id of the response.', example: RESPONSE.id } },
    response: { description: 'The response.', schema: 'Response', example: RESPONSE },
    errorFormat: 'chat',
    errors: ['invalid_request', ...ERRORS_OF_KEPT],
  },
  {
    id: 'deleteResponse',
    method: 'delete',
    path: '/v1/responses/{id}',
    group: 'generate',
    summary: 'Delete a kept response',
    description:
      'Deletes a kept response with its part of the input. Responses that continued it stay, but cannot be continued by `previous_response_id`.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The id of the response.', example: RESPONSE.id } },
    response: {
      description: 'The response is deleted.',
      schema: 'DeletedResponse',
      example: { id: RESPONSE.id, object: 'response', deleted: true },
    },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
  {
    id: 'listInputItems',
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    group: 'generate',
    summary: 'List the input of a kept response',
    description:
      'Returns the items that came before the output of a kept response, those of earlier responses included. Free of charge.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The id of the response.', example: RESPONSE.id } },
    query: { schema: inputItemsQuerySchema, examples: { limit: 20, order: 'asc', after: 'item_0' } },
    response: {
      description: 'A page of items.',
      schema: 'InputItemList',
      example: {
        object: 'list',
        data: [
          {
            id: 'item_0',
            type: 'message',
            status: 'completed',
            role: 'user',
            content: [{ type: 'input_text', text: QUESTION.content }],
          },
        ],
        first_id: 'item_0',
        last_id: 'item_0',
        has_more: false,
      },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...ERRORS_OF_KEPT],
  },
  {
    id: 'countInputTokens',
    method: 'post',
    path: '/v1/responses/input_tokens',
    group: 'generate',
    summary: 'Count the tokens of a response request',
    description:
      'Estimates the tokens of a request in the responses format, with what it refers to, before it is sent. Free of charge.',
    auth: 'user-key',
    body: {
      schema: 'ResponsesRequest',
      examples: {
        short: { summary: 'A question', value: { model: 'sandbox/story', input: QUESTION.content } },
      },
    },
    response: {
      description: 'The number of tokens.',
      schema: 'InputTokenCount',
      example: { object: 'response.input_tokens', input_tokens: 12 },
    },
    errorFormat: 'chat',
    errors: ERRORS_OF_COUNTS,
  },
  {
    id: 'createEmbeddings',
    method: 'post',
    path: '/v1/embeddings',
    group: 'generate',
    summary: 'Create embeddings',
    description:
      'Returns a vector for each text, in the format of OpenAI. Charged by input tokens alone; `usage.cost` is what the user was charged, in USD.',
    auth: 'user-key',
    requestHeaders: LIMITS,
    body: {
      schema: 'EmbeddingsRequest',
      examples: {
        short: {
          summary: 'Two texts',
          value: { model: 'sandbox/embed', input: ['the sea', 'the mountains'], dimensions: 3 },
        },
      },
    },
    response: {
      description: 'The vectors, in the order of the texts.',
      schema: 'EmbeddingList',
      headers: ['x-svc-credits-charged', 'x-svc-warnings'],
      example: {
        object: 'list',
        data: [
          { object: 'embedding', index: 0, embedding: [0.267, -0.535, 0.802] },
          { object: 'embedding', index: 1, embedding: [0.6, 0, -0.8] },
        ],
        model: 'sandbox/embed',
        usage: { prompt_tokens: 14, total_tokens: 14, cost: 2.8e-7 },
      },
    },
    errorFormat: 'chat',
    errors: ERRORS,
  },
  {
    ...GENERATION,
    id: 'createImages',
    path: '/v1/images/generations',
    summary: 'Create images',
    description:
      'Returns images in the format of OpenAI, always as base64. The size, the quality and the number decide the most that the request can cost, which is held; what the provider reports is charged. With `stream: true`, events of the type `image_generation.partial_image` precede `image_generation.completed`.',
    body: {
      schema: 'ImagesRequest',
      examples: {
        short: {
          summary: 'A small picture',
          value: { model: 'sandbox/paint', prompt: 'A lighthouse at dusk', quality: 'low' },
        },
      },
    },
    response: {
      description: 'The images.',
      schema: 'ImageList',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: IMAGE_LIST,
    },
  },
  {
    ...GENERATION,
    id: 'editImages',
    path: '/v1/images/edits',
    summary: 'Edit images',
    description:
      'Returns images that begin with those of the request, in the format of OpenAI. Each image of the request is input, and is charged by its image tokens.',
    body: {
      schema: 'ImageEditsRequest',
      examples: {
        short: {
          summary: 'An image from another',
          value: {
            model: 'sandbox/paint',
            prompt: 'Add a sailing boat',
            quality: 'low',
            images: [{ image_url: 'https://example.com/lighthouse.png' }],
          },
        },
      },
    },
    response: {
      description: 'The images.',
      schema: 'ImageList',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: IMAGE_LIST,
    },
  },
  {
    ...GENERATION,
    id: 'createModeration',
    path: '/v1/moderations',
    summary: 'Moderate content',
    description:
      'Says which categories of harmful content texts or a message belong to, in the format of OpenAI. Free: the hold and the charge are 0, and the user needs no credits. Limits apply.',
    body: {
      schema: 'ModerationsRequest',
      examples: {
        short: {
          summary: 'A text',
          value: { model: 'sandbox/moderation', input: 'I will attack the castle at dawn.' },
        },
      },
    },
    response: {
      description: 'The verdicts, in the order of the texts.',
      schema: 'Moderation',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: {
        id: 'modr-1',
        model: 'sandbox/moderation',
        results: [
          {
            flagged: true,
            categories: { hate: false, violence: true },
            category_scores: { hate: 0.0001, violence: 0.97 },
            category_applied_input_types: { hate: ['text'], violence: ['text'] },
          },
        ],
      },
    },
    errors: [...ERRORS_OF_FREE, ...ERRORS_OF_REPETITION],
  },
  {
    ...GENERATION,
    id: 'rerank',
    path: '/v1/rerank',
    summary: 'Rerank documents',
    description:
      'Orders documents by their relevance to a query, in the format of Cohere’s v2, whichever provider serves the model. Charged by queries or by tokens, as the price of the model says. `POST /v2/rerank` is the same.',
    body: {
      schema: 'RerankRequest',
      examples: {
        short: {
          summary: 'The best of three documents',
          value: {
            model: 'sandbox/rerank',
            query: 'capital of France',
            documents: ['Berlin is the capital of Germany.', 'Paris is the capital of France.', 'Rome.'],
            top_n: 1,
          },
        },
      },
    },
    response: {
      description: 'The documents by their place in the request, the most relevant first.',
      schema: 'RerankResults',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: {
        id: 'rerank-1',
        results: [{ index: 1, relevance_score: 0.98 }],
        meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
        model: 'sandbox/rerank',
        usage: { cost: 0.0025, search_units: 1 },
      },
    },
  },
  {
    ...GENERATION,
    id: 'createOcr',
    path: '/v1/ocr',
    summary: 'Read a document',
    description:
      'Returns the pages of a document or an image as Markdown, in the format of Mistral. Charged by pages. The pages of a PDF in the request are counted; of another document, `pages` lists those to read. Annotations are not available.',
    body: {
      schema: 'OcrRequest',
      examples: {
        short: {
          summary: 'An image at an address',
          value: {
            model: 'sandbox/ocr',
            document: { type: 'image_url', image_url: 'https://example.com/receipt.png' },
          },
        },
        pages: {
          summary: 'Two pages of a document at an address',
          value: {
            model: 'sandbox/ocr',
            document: { type: 'document_url', document_url: 'https://example.com/report.pdf' },
            pages: [0, 1],
          },
        },
      },
    },
    response: {
      description: 'The pages.',
      schema: 'OcrResult',
      headers: ['idempotent-replayed', 'x-svc-credits-charged', 'x-svc-warnings'],
      example: {
        pages: [
          {
            index: 0,
            markdown: '# Receipt',
            images: [],
            dimensions: { dpi: 200, height: 2200, width: 1700 },
          },
        ],
        model: 'sandbox/ocr',
        document_annotation: null,
        usage_info: { cost: 0.0025, pages_processed: 1, doc_size_bytes: null },
      },
    },
  },
  {
    ...GENERATION,
    id: 'createSpeech',
    path: '/v1/audio/speech',
    summary: 'Speak a text',
    description:
      'Returns a text as speech, in the format of OpenAI. The audio arrives as it is made. The characters of the text are held and charged.',
    body: {
      schema: 'SpeechRequest',
      examples: {
        short: {
          summary: 'A sentence',
          value: {
            model: 'sandbox/speak',
            input: 'The sea was calm.',
            voice: 'alloy',
            response_format: 'wav',
          },
        },
      },
    },
    response: {
      description: 'The audio. The connection closes early if the provider fails before its end.',
      contentType: 'audio/*',
      headers: ['idempotent-replayed', 'x-svc-warnings'],
    },
  },
  {
    ...GENERATION,
    id: 'createTranscription',
    path: '/v1/audio/transcriptions',
    summary: 'Transcribe a recording',
    description:
      'Returns the text of a recording, in the format of OpenAI. The hold covers its length, as a decoder would find it; what the provider reports is charged. A recording whose length cannot be bounded is refused.',
    ...ofRecordings('TranscriptionRequest'),
  },
  {
    ...GENERATION,
    id: 'createTranslation',
    path: '/v1/audio/translations',
    summary: 'Translate a recording',
    description: 'Returns the text of a recording in English, in the format of OpenAI.',
    ...ofRecordings('TranslationRequest'),
  },
  {
    id: 'countTokens',
    method: 'post',
    path: '/v1/messages/count_tokens',
    group: 'generate',
    summary: 'Count tokens',
    description:
      'Returns the number of tokens in a prompt before it is sent. Counted by the provider where that is free, otherwise estimated and rounded up. Free of charge.',
    auth: 'user-key',
    body: {
      schema: 'CountTokensRequest',
      examples: {
        short: { summary: 'A question', value: { model: 'sandbox/story', messages: [QUESTION] } },
      },
    },
    response: { description: 'The number of tokens.', schema: 'TokenCount', example: { input_tokens: 12 } },
    errorFormat: 'messages',
    errors: ERRORS_OF_COUNTS,
  },
];
