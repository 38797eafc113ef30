import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { callNextAuth } from '@/app/_session/call-next-auth';
import { notFound, respond } from '@/server/base/http/respond';

type Context = { params: Promise<{ nextauth: string[] }> };

/**
 * Serves only next-auth's session endpoint: our own pages handle sign-in and sign-out. An OAuth
 * provider would also need `csrf`, `signin/<id>` and `callback/<id>`.
 */
export async function GET(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params;
  if (nextauth.join('/') !== 'session') return POST();
  return respond(
    'chat',
    () => callNextAuth<Response>((options) => NextAuth(request, context, options)),
    'same-origin',
  );
}

export const POST = (): Response => notFound('chat', 'same-origin');
