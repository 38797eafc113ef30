import type { IncomingMessage } from 'node:http';
import type Stripe from 'stripe';

/** A list of a hundred objects, the most that Stripe returns at once, has some 500 kB. */
export const MAX_RESPONSE_CHARACTERS = 16 * 1024 * 1024;

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** Cuts off longer responses, which Stripe's SDK would read into memory whole. */
export function limitResponses(client: HttpClient): HttpClient {
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await send(...request);
    const read = response.toJSON.bind(response);
    response.toJSON = () => {
      const incoming = response.getRawResponse() as IncomingMessage;
      let characters = 0;
      incoming.on('data', (chunk: string | Buffer) => {
        characters += chunk.length;
        if (characters > MAX_RESPONSE_CHARACTERS) incoming.destroy(new Error('the response is too large'));
      });
      return read();
    };
    return response;
  };
  return client;
}
