import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { askNextAuth } from '@/app/_session/ask-next-auth';
import { notFound, respond } from '@/server/http/respond';

type Context = { params: Promise<{ nextauth: string[] }> };

/**
 * Of next-auth's paths only the one that tells whether somebody is signed in: our pages sign in and
 * out. An OAuth provider would add `csrf`, `signin/<id>` and `callback/<id>`.
 */
export async function GET(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params;
  if (nextauth.join('/') !== 'session') return notFound('chat');
  return respond(
    'chat',
    () => askNextAuth<Response>((options) => NextAuth(request, context, options)),
    'same-origin',
  );
}

export const POST = (): Response => notFound('chat');
