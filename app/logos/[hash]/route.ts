import { ownSiteHeaders } from '@/server/base/http/security-headers';
import { findApprovedLogo } from '@/server/partners/profile';

type Props = { params: Promise<{ hash: string }> };

/** An approved logo. Its address is that of its content, and its type is the one that its bytes were checked for. */
export async function GET(_request: Request, { params }: Props): Promise<Response> {
  const logo = await findApprovedLogo((await params).hash.slice(0, 100));
  if (logo === null) return new Response('No such logo', { status: 404, headers: ownSiteHeaders() });
  return new Response(Buffer.from(logo.bytes), {
    headers: {
      ...ownSiteHeaders(),
      'content-type': logo.type,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    },
  });
}
