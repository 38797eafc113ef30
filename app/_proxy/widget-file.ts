import { NextResponse } from 'next/server';
import { addCheckoutUrl } from '@/server/base/http/widget-files';

/** The widget runs on any page, so any origin may read it. Only versioned URLs are cached permanently. */
export async function serveWidgetFile(
  pathname: string,
  { isPinned }: { isPinned: boolean },
): Promise<NextResponse> {
  const text = await addCheckoutUrl(pathname);
  const response =
    text === null ? NextResponse.next() : new NextResponse(text, { headers: typeOf(pathname) });
  response.headers.set('access-control-allow-origin', '*');
  response.headers.set('cross-origin-resource-policy', 'cross-origin');
  response.headers.set('x-content-type-options', 'nosniff');
  response.headers.set(
    'cache-control',
    isPinned ? 'public, max-age=31536000, immutable' : 'public, max-age=300, stale-while-revalidate=86400',
  );
  // Otherwise served as a video, because of its .ts extension.
  if (pathname.endsWith('.d.ts')) response.headers.set('content-type', 'text/plain; charset=utf-8');
  return response;
}

/** As Next names the same files. */
const typeOf = (pathname: string): Record<string, string> => ({
  'content-type': pathname.endsWith('.js')
    ? 'application/javascript; charset=UTF-8'
    : 'application/json; charset=UTF-8',
});
