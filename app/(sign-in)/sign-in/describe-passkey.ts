import type { speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import type { Failure } from '@/app/_ui/use-action';
import { textOf } from '@/texts/say';

/** Why a passkey did not sign in. */
export function describePasskey(
  failure: Failure,
  { say, shared }: ReturnType<typeof speakPage<'signIn'>>,
): string {
  const { passkeyFailures: texts } = say;
  if (failure.code === 'invalid_request') return texts.refused;
  return textOf(texts, failure.code) ?? describeRefusal(failure, shared);
}
