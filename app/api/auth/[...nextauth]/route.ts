import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '@/app/_session/auth-options';
import { notFound } from '@/server/http/respond';

type Context = { params: Promise<{ nextauth: string[] }> };

/**
 * Of next-auth's paths only the one that tells whether somebody is signed in: our pages sign in and
 * out. An OAuth provider would add `csrf`, `signin/<id>` and `callback/<id>`.
 */
export async function GET(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params;
  return nextauth.join('/') === 'session' ? NextAuth(request, context, authOptions()) : notFound('chat');
}

export const POST = (): Response => notFound('chat');
