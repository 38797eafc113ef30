import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into the processes of the tests by `stripe-mock.mjs`: writes every call of Stripe's SDK to the file
 * STRIPE_CALLS, one line each, with the status of the sandbox's answer. The SDK uses node:http, others use fetch.
 */

const file = process.env.STRIPE_CALLS;
const send = http.request;

http.request = (options, ...rest) => {
  const request = send(options, ...rest);
  const { method, path, headers } = options ?? {};
  if (headers?.['Stripe-Version'] !== undefined)
    record(request, { method, path, type: headers['Content-Type'] });
  return request;
};
syncBuiltinESMExports();

function record(request, call) {
  let body = '';
  const write = request.write.bind(request);
  request.write = (part, ...rest) => {
    body += part;
    return write(part, ...rest);
  };
  request.on('response', ({ statusCode }) =>
    appendFileSync(file, `${JSON.stringify({ ...call, body, status: statusCode })}\n`),
  );
}
