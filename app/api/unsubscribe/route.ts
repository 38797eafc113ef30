import { ApiError } from '@/server/base/errors';
import { privateJson, respond } from '@/server/base/http/respond';
import { unsubscribeByLink } from '@/server/people/warnings/unsubscribe';

const tokenOf = (request: Request): string => new URL(request.url).searchParams.get('token') ?? '';

/** Unsubscribes with one click in a mail program (RFC 8058). The token of the link is the credential. */
export function POST(request: Request): Promise<Response> {
  return respond(
    'chat',
    async () => {
      if (await unsubscribeByLink(tokenOf(request))) return privateJson({ unsubscribed: true });
      throw new ApiError('not_found', 'This link is incomplete, or its account was deleted.', {
        param: 'token',
      });
    },
    'same-origin',
  );
}

/** Programs without that button open the address: the page asks first, because scanners open every link. */
export function GET(request: Request): Promise<Response> {
  const location = `/unsubscribe?${new URLSearchParams({ token: tokenOf(request) })}`;
  return respond(
    'chat',
    () => new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } }),
    'same-origin',
  );
}
