import type { Json } from '@/server/gateway/protocols/neutral';
import { gifOf, jpegOf, pngOf, type Size, webpOf } from '../../harness/honest/images';
import * as pdf from '../../harness/honest/write-pdf';

/** Random requests of every kind of content, in every format. */

export type ApiRequest = { path: '/v1/chat/completions' | '/v1/messages' | '/v1/responses'; body: Json };

export const MODELS = [
  'openai/gpt-4.1',
  'openai/gpt-4o-mini',
  'openai/o3',
  'openai/gpt-5-mini',
  'openai/gpt-5.6-sol',
  'openai/gpt-6-sol',
  'anthropic/claude-opus-5-5',
  'anthropic/claude-haiku-5-5',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-2.5-pro',
  'google/gemini-3.1-pro-preview',
  'xai/grok-4.5',
  'openrouter/qwen/qwen3-vl-8b-instruct',
  'openrouter/xiaomi/mimo-v2.5-pro',
  'mistral/pixtral-12b',
];

type Random = () => number;

export class Generator {
  constructor(
    private readonly random: Random,
    /** How long texts are: a long one is this many words, or this many bytes of other kinds. */
    private readonly length: number,
  ) {}

  request(): ApiRequest {
    const model = this.pick(MODELS);
    const format = this.random();
    if (format < 0.4) return this.chat(model);
    return format < 0.7 ? this.messages(model) : this.responses(model);
  }

  private chat(model: string): ApiRequest {
    const messages = this.several(3, () => this.chatTurn());
    const reasoning = { reasoning_effort: this.pick(['low', 'high']) };
    const body: Json = {
      model,
      messages: [...this.maybe(0.3, () => ({ role: 'system', content: this.text() })), ...messages.flat()],
      ...this.limit(0.7, this.pick(['max_tokens', 'max_completion_tokens'])),
      ...this.some(0.5, { stream: true }),
      ...this.some(0.15, { n: 1 + this.below(3) }),
      ...this.some(0.15, reasoning),
      ...this.some(0.25, { tools: this.several(4, () => this.chatTool()) }),
      ...this.some(0.2, { response_format: this.responseFormat() }),
      ...this.some(0.1, { [`unknown_${this.below(9)}`]: this.text() }),
      ...this.some(0.1, { service_tier: 'priority' }),
      ...this.some(0.1, { web_search_options: this.some(0.5, { search_context_size: 'low' }) }),
      ...this.some(0.05, {
        plugins: [{ id: 'web', ...this.some(0.5, { max_results: 1 + this.below(12) }) }],
      }),
      ...this.some(0.05, { prediction: { type: 'content', content: this.text() } }),
    };
    return { path: '/v1/chat/completions', body };
  }

  private messages(model: string): ApiRequest {
    const thinking = this.pick([
      { type: 'enabled', budget_tokens: 1_024 },
      { type: 'adaptive' },
      { type: 'disabled' },
    ]);
    const body: Json = {
      model,
      max_tokens: 1 + this.below(4_000),
      messages: this.several(3, () => this.messagesTurn()).flat(),
      ...this.some(0.3, {
        system: this.pick([this.text(), [this.marked({ type: 'text', text: this.text() })]]),
      }),
      ...this.some(0.5, { stream: true }),
      ...this.some(0.2, { thinking }),
      ...this.some(0.25, { tools: this.several(4, () => this.messagesTool()) }),
      ...this.some(0.1, { output_config: { format: { type: 'json_schema', schema: this.schema(2) } } }),
      ...this.some(0.1, { cache_control: { type: 'ephemeral', ...this.some(0.5, { ttl: '1h' }) } }),
      ...this.some(0.1, { [`unknown_${this.below(9)}`]: this.text() }),
    };
    return { path: '/v1/messages', body };
  }

  private responses(model: string): ApiRequest {
    const body: Json = {
      model,
      input: this.random() < 0.2 ? this.text() : this.several(3, () => this.responsesTurn()).flat(),
      // Responses that are kept are the subject of other tests.
      store: false,
      ...this.some(0.3, { instructions: this.text() }),
      ...this.limit(0.7, 'max_output_tokens'),
      ...this.some(0.5, { stream: true }),
      ...this.some(0.15, { reasoning: { effort: this.pick(['low', 'high']), summary: 'auto' } }),
      ...this.some(0.25, { tools: this.several(4, () => this.responsesTool()) }),
      ...this.some(0.2, { text: { format: this.textFormat() } }),
      ...this.some(0.1, { [`unknown_${this.below(9)}`]: this.text() }),
      ...this.some(0.1, { service_tier: 'priority' }),
      ...this.some(0.1, { prompt_cache_key: this.word() }),
      ...this.some(0.1, { max_tool_calls: 1 + this.below(8) }),
    };
    return { path: '/v1/responses', body };
  }

  private chatTurn(): Json[] {
    const user = { role: 'user', content: this.pick([this.text(), this.several(3, () => this.chatPart())]) };
    if (this.random() < 0.7)
      return [user, ...this.maybe(0.3, () => ({ role: 'assistant', content: this.text() }))];
    const call = { name: 'look_up', arguments: JSON.stringify({ query: this.text() }) };
    return [
      user,
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'call_1', content: this.text() },
    ];
  }

  private messagesTurn(): Json[] {
    const user = { role: 'user', content: this.pick([this.text(), this.several(3, () => this.block())]) };
    if (this.random() < 0.7)
      return [user, { role: 'assistant', content: this.text() }, { role: 'user', content: 'Go on' }];
    const result = this.several(2, () => this.pick([{ type: 'text', text: this.text() }, this.imageBlock()]));
    return [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { query: this.text(), at: [1, 2.5] } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
    ];
  }

  private responsesTurn(): Json[] {
    const user: Json = {
      role: 'user',
      content: this.pick([this.text(), this.several(3, () => this.inputPart())]),
      ...this.some(0.5, { type: 'message' }),
    };
    const answer = {
      role: 'assistant',
      content: [{ type: 'output_text', text: this.text(), annotations: [] }],
    };
    if (this.random() < 0.7) return [user, ...this.maybe(0.3, () => answer)];
    const isCustom = this.random() < 0.3;
    const call = isCustom
      ? { type: 'custom_tool_call', input: this.text() }
      : { type: 'function_call', arguments: JSON.stringify({ query: this.text(), at: [1, 2.5] }) };
    const output = this.pick([this.text(), this.several(2, () => this.inputPart())]);
    return [
      user,
      { ...call, call_id: 'call_1', name: 'look_up' },
      { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id: 'call_1', output },
    ];
  }

  private inputPart(): Json {
    const kind = this.random();
    if (kind < 0.5) return { type: 'input_text', text: this.text() };
    if (kind < 0.75) {
      const detail = this.some(0.3, { detail: this.pick(['low', 'high', 'auto']) });
      return { type: 'input_image', image_url: this.imageUrl(), ...detail };
    }
    if (kind < 0.8)
      return { type: 'input_file', file_url: 'https://documents.example.com/annual-report.pdf' };
    const file_data = `data:application/pdf;base64,${this.document().toString('base64')}`;
    return { type: 'input_file', filename: 'report.pdf', file_data };
  }

  private chatPart(): Json {
    const kind = this.random();
    if (kind < 0.5) return this.marked({ type: 'text', text: this.text() });
    if (kind < 0.75) {
      const detail = this.some(0.3, { detail: this.pick(['low', 'high', 'auto']) });
      return { type: 'image_url', image_url: { url: this.imageUrl(), ...detail } };
    }
    const file_data = `data:application/pdf;base64,${this.document().toString('base64')}`;
    return { type: 'file', file: { filename: 'report.pdf', file_data } };
  }

  private block(): Json {
    const kind = this.random();
    if (kind < 0.5) return this.marked({ type: 'text', text: this.text() });
    if (kind < 0.75) return this.marked(this.imageBlock());
    const source = this.pick<Json>([
      { type: 'base64', media_type: 'application/pdf', data: this.document().toString('base64') },
      { type: 'text', media_type: 'text/plain', data: this.text() },
      { type: 'content', content: [{ type: 'text', text: this.text() }, this.imageBlock()] },
      { type: 'url', url: 'https://documents.example.com/annual-report.pdf' },
    ]);
    return this.marked({
      type: 'document',
      source,
      ...this.some(0.3, { title: this.text(), context: this.text() }),
    });
  }

  private imageBlock(): Json {
    if (this.random() < 0.2)
      return { type: 'image', source: { type: 'url', url: 'https://images.example.com/photo.png' } };
    const [media_type, file] = this.image();
    return { type: 'image', source: { type: 'base64', media_type, data: file.toString('base64') } };
  }

  private imageUrl(): string {
    if (this.random() < 0.2) return 'https://images.example.com/photo.png';
    const [type, file] = this.image();
    return `data:${type};base64,${file.toString('base64')}`;
  }

  private image(): [string, Buffer] {
    const side = () => 1 + this.below(this.pick([64, 800, 2_500]));
    const size: Size = { width: side(), height: side() };
    return this.pick<() => [string, Buffer]>([
      () => ['image/png', pngOf(size)],
      () => ['image/jpeg', jpegOf(size, { profileBytes: this.below(30_000) })],
      () => ['image/gif', gifOf({ width: 1 + this.below(9), height: 1 + this.below(9) }, size)],
      () => ['image/webp', webpOf(size)],
    ])();
  }

  private document(): Buffer {
    const text = this.text();
    const times = 1 + this.below(20);
    return this.pick([
      () => pdf.plainPdf(this.several(5, () => this.text())),
      () => pdf.plainPdf([text], { before: this.pick(['\n', ' '.repeat(900)]) }),
      () =>
        pdf.plainPdf(
          this.several(9, () => 'page'),
          { type: '/Type /P#61ge' },
        ),
      () => pdf.repeatedPagePdf(times, 'page'),
      () => pdf.sharedContentPdf(times, text),
      () => pdf.repeatedContentPdf(times, text),
      () => pdf.formPdf(times, text),
      () => pdf.objectStreamPdf(times, text, this.pick(['/Type /ObjStm', '/Type /Obj#53tm'])),
      () => pdf.twiceDeflatedPdf(text),
      () => pdf.uncompressedPdf(text),
    ])().file;
  }

  private chatTool(): Json {
    const parameters = this.some(0.5, { max_uses: 1 + this.below(8) });
    if (this.random() < 0.1) return { type: 'openrouter:web_search', parameters };
    const called = { name: this.name(), description: this.text(), parameters: this.schema(2) };
    return { type: 'function', function: called };
  }

  private responsesTool(depth = 1): Json {
    const named = { name: this.name(), description: this.text() };
    const kind = this.random();
    if (kind > 0.9 && depth > 0) return { type: 'web_search' };
    if (kind < 0.2) {
      const grammar = { type: 'grammar', syntax: this.pick(['lark', 'regex']), definition: this.text() };
      return { type: 'custom', ...named, ...this.some(0.5, { format: grammar }) };
    }
    if (kind < 0.35 && depth > 0)
      return { type: 'namespace', ...named, tools: this.several(3, () => this.responsesTool(0)) };
    return { type: 'function', ...named, parameters: this.schema(2), ...this.some(0.5, { strict: true }) };
  }

  private messagesTool(): Json {
    if (this.random() < 0.2)
      return this.pick<Json>([
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        {
          type: 'web_search_20250305',
          name: 'web_search',
          ...this.some(0.8, { max_uses: 1 + this.below(8) }),
        },
      ]);
    return this.marked({ name: this.name(), description: this.text(), input_schema: this.schema(2) });
  }

  private responseFormat(): Json {
    const json_schema = { name: 'response', schema: this.schema(3), strict: this.random() < 0.5 };
    return this.pick<Json>([{ type: 'text' }, { type: 'json_object' }, { type: 'json_schema', json_schema }]);
  }

  private textFormat(): Json {
    const format = { type: 'json_schema', name: 'response', schema: this.schema(3) };
    return this.pick<Json>([{ type: 'text' }, { type: 'json_object' }, format, { ...format, strict: true }]);
  }

  private schema(depth: number): Json {
    const property = (): Json =>
      depth > 0 && this.random() < 0.4
        ? this.schema(depth - 1)
        : { type: this.pick(['string', 'number']), description: this.word() };
    const properties = Object.fromEntries(this.several(4, () => [this.name(), property()] as const));
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  }

  private marked(part: Json): Json {
    return {
      ...part,
      ...this.some(0.1, { cache_control: { type: 'ephemeral', ...this.some(0.4, { ttl: '1h' }) } }),
    };
  }

  /** A text of one kind, or of several. */
  private text(): string {
    const parts = this.several(this.random() < 0.2 ? 4 : 1, () => this.ofKind(this.pick(KINDS)));
    return parts.join(this.pick(['', ' ', '\n\n']));
  }

  private ofKind(kind: Kind): string {
    const length = 1 + this.below(this.random() < 0.1 ? this.length : this.length / 12);
    return Array.from({ length }, () => kind(this.random)).join('');
  }

  private word(): string {
    return Array.from({ length: 1 + this.below(9) }, () => letter(this.random, 0x61, 26)).join('');
  }

  private name(): string {
    return `${this.word()}_${this.below(1e6)}`;
  }

  private limit(chance: number, name: string): Json {
    return this.some(chance, { [name]: 1 + this.below(4_000) });
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  private several<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, make);
  }

  private maybe<T>(chance: number, make: () => T): T[] {
    return this.random() < chance ? [make()] : [];
  }

  private some(chance: number, fields: Json): Json {
    return this.random() < chance ? fields : {};
  }
}

/** Returns the next piece of a text. */
type Kind = (random: Random) => string;

const letter = (random: Random, first: number, count: number): string =>
  String.fromCodePoint(first + Math.floor(random() * count));
const oneOf = (words: string): Kind => {
  const list = words.split('|');
  return (random) => list[Math.floor(random() * list.length)] ?? '';
};
const script =
  (first: number, count: number, spaces = 0.15): Kind =>
  (random) =>
    random() < spaces ? ' ' : letter(random, first, count);

const KINDS: readonly Kind[] = [
  oneOf(
    'The |quick |brown |fox |jumps |over |the |lazy |dog, |and |it |is |late. |However, |nobody |minds.\n',
  ),
  oneOf('Die |Geschwindigkeitsbegrenzung |gilt |für |Kraftfahrzeuge |über |3,5 |Tonnen, |außer |sonntags. '),
  script(0x4e00, 5_000, 0.02),
  script(0x3041, 80, 0.02),
  script(0xac00, 11_000),
  script(0x0621, 40),
  script(0x05d0, 26),
  script(0x0905, 50),
  script(0x0e01, 46),
  script(0x1200, 350),
  script(0x0f40, 40),
  script(0x13a0, 80),
  script(0x13000, 1_000, 0),
  script(0x12000, 900, 0),
  script(0xe000, 6_000, 0),
  script(0x1f300, 700, 0.05),
  script(0x1f1e6, 26, 0),
  script(0x21, 94, 0.1),
  script(0x21, 15, 0),
  script(0x30, 10, 0),
  script(0x41, 26, 0.1),
  script(0x61, 26, 0.1),
  script(0x0300, 60, 0.3),
  oneOf('0|1|,0|,1|, |[|]|0.5|-1|\n'),
  oneOf(' |  |\t|\n|\r\n|\u00a0|\u2003|\u200b|\u3000'),
  oneOf('function|(|)|{|}|=>|const |let |x|y1|;|"a"|!==|===|return |[0]|\n  '),
  (random) => `${(random() * 1_000).toFixed(4)},`,
  (random) =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0'),
  (random) => Buffer.from([random() * 256, random() * 256, random() * 256]).toString('base64'),
  (random) =>
    `{"id":${Math.floor(random() * 1e6)},"name":"${letter(random, 0x61, 26)}","ok":${random() < 0.5}},`,
];
