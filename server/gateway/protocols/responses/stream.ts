import type { ApiError } from '../../../base/errors';
import type { ResponseLabels, StreamWriter } from '../client-protocol';
import { writeExactly } from '../exact-numbers';
import type { Json, StreamEvent, TokenUsage } from '../neutral';
import { writeOutput } from './output';
import type { ResponsesRequest } from './schema';
import { beginResponse, endResponse, outputOptions } from './write';

/** A comment, because every data event of this format has a number. */
export const RESPONSES_KEEPALIVE = ': keepalive\n\n';

export function responsesFrame(event: Json & { type: string }): string {
  return `event: ${event.type}\ndata: ${writeExactly(event)}\n\n`;
}

/** The fields as OpenAI documents them, and as it sends them: the official libraries throw `error`. */
export function writeResponsesError(error: ApiError, sequence = 0): string {
  const { code, message, param } = error;
  return responsesFrame({
    type: 'error',
    sequence_number: sequence,
    code,
    message,
    param,
    error: { type: code, code, message, param },
  });
}

/** The end of a stream that failed. Clients read one of the two events. */
export function writeFailure(error: ApiError, sequence: number, response: Json | null): string {
  const reported = writeResponsesError(error, sequence);
  if (response === null) return reported;
  const failed = Object.assign({}, response, {
    status: 'failed',
    error: {
      code: error.code === 'rate_limited' ? 'rate_limit_exceeded' : 'server_error',
      message: error.message,
    },
  });
  return (
    reported + responsesFrame({ type: 'response.failed', sequence_number: sequence + 1, response: failed })
  );
}

/**
 * Writes a response as events of the responses format. The last event waits for `close`, so that a client never
 * has a finished response before it is settled.
 */
export function writeResponsesStream(request: ResponsesRequest, labels: ResponseLabels): StreamWriter {
  const begun = beginResponse(request, labels);
  let isBegun = false;
  let sequence = 0;
  let out = '';

  const emit = (type: string, fields: Json): void => {
    out += responsesFrame({ type, sequence_number: sequence++, ...fields });
  };
  const output = writeOutput({ ...outputOptions(request, labels), emit });

  function take(): string {
    const taken = out;
    out = '';
    return taken;
  }

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        isBegun = true;
        emit('response.created', { response: begun });
        emit('response.in_progress', { response: begun });
        break;
      case 'ping':
        return RESPONSES_KEEPALIVE;
      default:
        output.write(event);
    }
    return take();
  }

  function close(usage: TokenUsage): string {
    const response = endResponse(begun, output.close(), usage);
    labels.noteResponse?.(response);
    emit(response.status === 'completed' ? 'response.completed' : 'response.incomplete', { response });
    return take();
  }

  const fail = (error: ApiError): string =>
    writeFailure(error, sequence, isBegun ? Object.assign({}, begun, { output: output.items }) : null);

  return { write, close, fail };
}
