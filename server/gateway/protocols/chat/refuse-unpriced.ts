import { requireImageUrl, requirePdf } from '../media';
import type { Json } from '../neutral';
import { asArray, asObject, isObject, readObject, refuse } from '../read-fields';
import { refuseField, refuseType } from '../read-options';
import { requireRecording, requireVoice } from './audio';
import type { ChatRequest } from './schema';
import { refuseSearchOptions, withoutSearch } from './search-options';

/** What is billed by something other than tokens, or belongs to the account that all users share. */
const DENIED_FIELDS = ['background', 'previous_response_id', 'conversation'];
const MAX_FILE_NAME = 255;

/**
 * For every provider, refuses features that the catalogue does not price, media whose size the hold cannot
 * cover, and files of the account that all users share. `searches` is 0 where the provider runs none, and audio is
 * refused unless the model has a price for it.
 */
export function refuseUnpricedChat(
  request: ChatRequest,
  deniedFields: readonly string[],
  searches = 0,
  takesAudio = false,
): void {
  refuseSearchOptions(request, searches);
  const plain = withoutSearch(request);
  for (const field of [...DENIED_FIELDS, ...deniedFields]) {
    if (plain[field] !== undefined && plain[field] !== null) throw refuseField(field);
  }
  refuseSpeech(request, takesAudio);
  for (const [index, message] of request.messages.entries())
    refuseParts(message, `messages.${index}`, takesAudio);
}

function refuseSpeech(request: ChatRequest, takesAudio: boolean): void {
  const { modalities, audio } = request;
  const others = asArray(modalities).filter((modality) => modality !== 'text');
  if (!takesAudio && audio != null) throw refuseField('audio');
  if (others.some((modality) => !takesAudio || modality !== 'audio'))
    throw refuse('modalities', takesAudio ? 'must contain only text and audio' : 'only text is supported');
  if (audio != null || others.length > 0) requireVoice(request);
}

function refuseParts(
  { audio, content, tool_calls, function_call }: Json,
  param: string,
  takesAudio: boolean,
): void {
  if (isObject(audio)) throw refuse(`${param}.audio`, 'is not supported: send the transcript as content');
  if (tool_calls != null) refuseCalls(tool_calls, `${param}.tool_calls`);
  if (function_call != null) refuseCalled(function_call, `${param}.function_call`);
  if (isObject(content)) throw refuse(`${param}.content`, 'must be a string or an array of parts');
  for (const [index, part] of asArray(content).entries())
    refusePart(asObject(part), `${param}.content.${index}`, takesAudio);
}

/** The format gives arguments as text. As a value, each provider would write them in its own way. */
function refuseCalls(calls: unknown, param: string): void {
  if (!Array.isArray(calls)) throw refuse(param, 'must be an array of tool calls');
  for (const [index, call] of calls.entries()) {
    const place = `${param}.${index}`;
    const { function: called, custom } = readObject(call, place);
    refuseCalled(called, `${place}.function`);
    refuseValue(readObject(custom, `${place}.custom`).input, `${place}.custom.input`);
  }
}

function refuseCalled(called: unknown, place: string): void {
  refuseValue(readObject(called, place).arguments, `${place}.arguments`);
}

function refuseValue(text: unknown, param: string): void {
  if (text != null && typeof text !== 'string') throw refuse(param, 'must be a string');
}

function refusePart({ type, image_url, file, input_audio }: Json, place: string, takesAudio: boolean): void {
  if (asObject(file).file_id != null || asObject(image_url).file_id != null)
    throw refuse(place, 'uploaded files are not supported: send the content inline');
  if (type === 'image_url') {
    const url = isObject(image_url) ? image_url.url : image_url;
    return requireImageUrl(url, `${place}.image_url.url`);
  }
  if (type === 'input_audio') {
    if (!takesAudio) throw refuseType('parts', type, place);
    return requireRecording(input_audio, `${place}.input_audio`);
  }
  if (type !== 'file') return;
  if (asObject(file).file_url != null)
    throw refuse(`${place}.file.file_url`, 'is not supported: send the PDF as file_data');
  const { filename } = asObject(file);
  if (filename != null && (typeof filename !== 'string' || filename.length > MAX_FILE_NAME))
    throw refuse(`${place}.file.filename`, `must be a string of at most ${MAX_FILE_NAME} characters`);
  requirePdf(asObject(file).file_data, `${place}.file.file_data`);
}
