import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { callNextAuth } from '@/app/_session/call-next-auth';
import { finishIssuerSignIn, startIssuerSignIn } from '@/app/_session/issuer-sign-in';
import { notFound, respond } from '@/server/base/http/respond';

type Context = { params: Promise<{ nextauth: string[] }> };

/** next-auth's session endpoint, and where issuers return to. Our own pages handle everything else. */
export async function GET(request: NextRequest, context: Context): Promise<Response> {
  const [act, provider, ...rest] = (await context.params).nextauth;
  return respond(
    'chat',
    () => {
      if (act === 'session' && provider === undefined)
        return callNextAuth<Response>((options) => NextAuth(request, context, options));
      if (act === 'callback' && provider !== undefined && rest.length === 0)
        return finishIssuerSignIn(request, provider);
      return notFound('chat', 'same-origin');
    },
    'same-origin',
  );
}

export async function POST(request: NextRequest, { params }: Context): Promise<Response> {
  const [act, provider, ...rest] = (await params).nextauth;
  return respond(
    'chat',
    () =>
      act === 'signin' && provider !== undefined && rest.length === 0
        ? startIssuerSignIn(request, provider)
        : notFound('chat', 'same-origin'),
    'same-origin',
  );
}
