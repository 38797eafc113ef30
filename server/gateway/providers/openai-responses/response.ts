import type { ResponseLabels } from '../../protocols/client-protocol';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, parseObject } from '../../protocols/read-fields';
import { responsesProtocol } from '../../protocols/responses/protocol';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { repeatRequest, writeUsage } from '../../protocols/responses/write';
import { uniqueIds } from '../../protocols/tool-ids';
import type { MeteredUsage, ResponseFacts } from '../metered-usage';
import { brokenResponse, FailedResponse, findFailure } from '../provider-failure';
import { isWholeUsage, type ResponseOptions } from './fit-response';
import { readMetered } from './usage';

/** The parsed response; throws when it is an error, or none at all. */
export function parseResponse(text: string): Json {
  const response = parseObject(text) ?? {};
  const says = Array.isArray(response.output);
  const failure = findFailure(response, { says });
  if (failure === null && says && hasEnded(response)) return response;
  const isError = failure !== null && asArray(response.output).length === 0;
  throw new FailedResponse(failure ?? brokenResponse('the provider sent no response'), readFacts(response), {
    isError,
  });
}

const hasEnded = ({ status }: Json): boolean => status === 'completed' || status === 'incomplete';

export function readFacts(response: Json): ResponseFacts {
  const items = asArray(response.output).map(asObject);
  return {
    ...readMetered(response),
    providerCost: null,
    outputBytes: items.reduce((sum, item) => sum + countItemBytes(item), 0),
  };
}

/** Bytes of output: the base of an estimate. */
function countItemBytes({ name, arguments: json, input, content, summary }: Json): number {
  const parts = [...asArray(content), ...asArray(summary)].map(asObject);
  const texts = parts.map(({ text, refusal }) => asText(text) + asText(refusal));
  return Buffer.byteLength([asText(name), asText(json), asText(input), ...texts].join(''));
}

/**
 * Writes what we changed in the request, or did not send, as the client sent it. The response is repaired in
 * place.
 */
export function repairResponse(
  response: Json,
  request: ResponsesRequest,
  { requestedModel }: Pick<ResponseLabels, 'requestedModel'>,
  metered: MeteredUsage | null,
): Json {
  Object.assign(response, repeatRequest(request), { model: requestedModel });
  response.max_output_tokens = request.max_output_tokens ?? null;
  if (response.max_tool_calls != null) response.max_tool_calls = request.max_tool_calls ?? null;
  if (
    metered !== null &&
    (!isReported(response.usage, metered) || !isWholeUsage(response.usage, { any: false }))
  )
    response.usage = writeUsage(metered.usage);
  return response;
}

/** What a response needs to fit, for one exchange. */
export const toFitOptions = (
  request: ResponsesRequest,
  { newId, created }: ResponseLabels,
): ResponseOptions => ({
  newId,
  created,
  uniqueId: uniqueIds(() => responsesProtocol.callIds({ format: 'responses', body: request }), newId),
});
/** Whether the provider reports to the client what is billed. */
function isReported(reported: unknown, { usage, estimated }: MeteredUsage): boolean {
  const { input_tokens, output_tokens, total_tokens } = asObject(reported);
  const billed = writeUsage(usage);
  const isSame = input_tokens === billed.input_tokens && output_tokens === billed.output_tokens;
  return !estimated && isSame && total_tokens === billed.total_tokens;
}
