import { parseExactly, restoreNumbers } from '../exact-numbers';
import type { Citation, Json, SearchPart } from '../neutral';
import { isObject } from '../read-fields';
import { type OfferedTool, readCustomInput } from './tools';

/** Reports a step of the response as an event of the stream. */
export type Emit = (type: string, fields: Json) => void;

/** Where an output item is in the response. */
export type ItemPosition = { id: string; index: number };

/** The status of an item that ended. */
export type EndStatus = 'completed' | 'incomplete';

/** An output item that is being written: it begins with one event and ends with another. */
export type OpenItem = { readonly item: Json; end(status: EndStatus): void };

export type OpenMessage = OpenItem & {
  addText(text: string): void;
  addRefusal(text: string): void;
  /** Ends a block of text with what it cites. */
  cite(citations: readonly Citation[]): void;
};

type TextPart = { type: 'output_text'; annotations: Json[]; logprobs: []; text: string };
type RefusalPart = { type: 'refusal'; refusal: string };

export function openMessage({ id, index }: ItemPosition, emit: Emit): OpenMessage {
  const content: (TextPart | RefusalPart)[] = [];
  const item: Json = { id, type: 'message', status: 'in_progress', content, role: 'assistant' };
  let open: TextPart | RefusalPart | null = null;
  /** Where the cited text begins. */
  let blockStart = 0;
  begin(item, index, emit);

  const at = () => ({ item_id: id, output_index: index, content_index: content.length - 1 });

  function openPart<Part extends TextPart | RefusalPart>(part: Part): Part {
    endPart();
    content.push(part);
    open = part;
    blockStart = 0;
    emit('response.content_part.added', { ...at(), part });
    return part;
  }

  function addText(text: string): void {
    if (text === '') return;
    const part: TextPart =
      open?.type === 'output_text'
        ? open
        : openPart({ type: 'output_text', annotations: [], logprobs: [], text: '' });
    part.text += text;
    emit('response.output_text.delta', { ...at(), delta: text, logprobs: [] });
  }

  function addRefusal(text: string): void {
    if (text === '') return;
    const part: RefusalPart = open?.type === 'refusal' ? open : openPart({ type: 'refusal', refusal: '' });
    part.refusal += text;
    emit('response.refusal.delta', { ...at(), delta: text });
  }

  function cite(citations: readonly Citation[]): void {
    if (open?.type !== 'output_text') return;
    const length = open.text.length - blockStart;
    for (const { url, title, span = { start: 0, end: length } } of citations) {
      const annotation = {
        type: 'url_citation',
        start_index: blockStart + span.start,
        end_index: blockStart + span.end,
        url,
        title,
      };
      emit('response.output_text.annotation.added', {
        ...at(),
        annotation_index: open.annotations.length,
        annotation,
      });
      open.annotations.push(annotation);
    }
    blockStart = open.text.length;
  }

  function endPart(): void {
    const part = open;
    open = null;
    if (part === null) return;
    if (part.type === 'refusal') emit('response.refusal.done', { ...at(), refusal: part.refusal });
    else emit('response.output_text.done', { ...at(), text: part.text, logprobs: [] });
    emit('response.content_part.done', { ...at(), part });
  }

  return {
    item,
    addText,
    addRefusal,
    cite,
    end(status) {
      endPart();
      finish(item, index, status, emit);
    },
  };
}

export type OpenReasoning = OpenItem & {
  readonly text: string;
  add(text: string): void;
  /** Keeps what the client must send back, so that the model can continue its reasoning. */
  seal(content: string): void;
};

export function openReasoning({ id, index }: ItemPosition, emit: Emit): OpenReasoning {
  const summary: { type: 'summary_text'; text: string }[] = [];
  const item: Json = { id, type: 'reasoning', status: 'in_progress', summary, encrypted_content: null };
  const at = { item_id: id, output_index: index, summary_index: 0 };
  begin(item, index, emit);
  return {
    item,
    get text() {
      return summary[0]?.text ?? '';
    },
    add(text) {
      if (text === '') return;
      const [first] = summary;
      const part = first ?? { type: 'summary_text', text: '' };
      if (first === undefined) {
        summary.push(part);
        emit('response.reasoning_summary_part.added', { ...at, part });
      }
      part.text += text;
      emit('response.reasoning_summary_text.delta', { ...at, delta: text });
    },
    seal(content) {
      item.encrypted_content = content;
    },
    end(status) {
      const [part] = summary;
      if (part !== undefined) {
        emit('response.reasoning_summary_text.done', { ...at, text: part.text });
        emit('response.reasoning_summary_part.done', { ...at, part });
      }
      finish(item, index, status, emit);
    },
  };
}

export type OpenCall = OpenItem & { add(json: string): void };

export function openCall(
  { id, index }: ItemPosition,
  callId: string,
  tool: OfferedTool,
  emit: Emit,
): OpenCall {
  const named = {
    call_id: callId,
    name: tool.name,
    ...(tool.namespace !== null && { namespace: tool.namespace }),
  };
  const item: Json = tool.isCustom
    ? { id, type: 'custom_tool_call', status: 'in_progress', input: '', ...named }
    : { id, type: 'function_call', status: 'in_progress', arguments: '', ...named };
  const at = { item_id: id, output_index: index };
  let json = '';
  begin(item, index, emit);

  function endFunction(): void {
    item.arguments = restoreNumbers(json) || '{}';
    if (json === '') emit('response.function_call_arguments.delta', { ...at, delta: '{}' });
    emit('response.function_call_arguments.done', { ...at, name: tool.name, arguments: item.arguments });
  }

  /** Its text is complete only at the end: the model writes it as JSON. */
  function endCustom(): void {
    const input = readCustomInput(parseExactly(json), json);
    item.input = input;
    if (input !== '') emit('response.custom_tool_call_input.delta', { ...at, delta: input });
    emit('response.custom_tool_call_input.done', { ...at, input });
  }

  return {
    item,
    add(piece) {
      if (piece === '') return;
      json += piece;
      if (!tool.isCustom) emit('response.function_call_arguments.delta', { ...at, delta: piece });
    },
    end(status) {
      const isWhole = json === '' || isObject(parseExactly(json));
      if (tool.isCustom) endCustom();
      else endFunction();
      // Some clients run a call as soon as it is completed.
      finish(item, index, isWhole ? status : 'incomplete', emit);
    },
  };
}

/** A search has ended when it is reported. Its sources are included if the client asks for them. */
export function writeSearch(
  { id, index }: ItemPosition,
  { query, pages }: SearchPart,
  { withSources, emit }: { withSources: boolean; emit: Emit },
): Json {
  const item: Json = { id, type: 'web_search_call', status: 'in_progress' };
  const at = { item_id: id, output_index: index };
  begin(item, index, emit);
  emit('response.web_search_call.in_progress', at);
  emit('response.web_search_call.searching', at);
  if (pages !== null) emit('response.web_search_call.completed', at);
  const sources = (pages ?? []).map(({ url }) => ({ type: 'url', url }));
  item.status = pages === null ? 'failed' : 'completed';
  item.action = { type: 'search', query, queries: [query], ...(withSources && { sources }) };
  emit('response.output_item.done', { output_index: index, item });
  return item;
}

/** The item is announced without its content, which follows. */
function begin(item: Json, index: number, emit: Emit): void {
  emit('response.output_item.added', { output_index: index, item });
}

function finish(item: Json, index: number, status: EndStatus, emit: Emit): void {
  item.status = status;
  emit('response.output_item.done', { output_index: index, item });
}
