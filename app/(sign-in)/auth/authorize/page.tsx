import { readPageTexts, titled } from '@/app/_session/page-texts';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { requireSession } from '@/app/_session/session';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { repeated } from '@/server/base/http/read-fields';
import { nameOnPages } from '@/server/partners/rename';
import { type CheckedRedirect, checkRedirect, denyRedirect } from '@/server/people/authorize';
import { Sheet } from '../../sheet';
import { Consent } from './consent';
import { type RedirectParameters, readRedirect, redirectParameters } from './request';

export const generateMetadata = titled('authorize', {});

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Where apps without the widget send users to sign in; see docs/sign-in.md. */
export default async function AuthorizePage({ searchParams }: Props) {
  const search = await searchParams;
  const parameters = redirectParameters.parse(search);
  const checked = findRepeated(search) ?? (await check(parameters));
  const { BRAND_NAME: brand } = settings();
  const texts = await readPageTexts('authorize');
  if (checked instanceof ApiError) return <Refusal texts={texts} brand={brand} reason={checked.message} />;
  const { email } = await requireSession();
  const { protocol, host } = checked.returnTo;
  // Only a web address proves its host: any app can write one after a scheme of its own.
  const destination = /^https?:$/.test(protocol) ? host : `${protocol}//`;
  return (
    <Sheet brand={brand}>
      <Consent
        texts={texts}
        parameters={parameters}
        appName={nameOnPages(checked.partner, destination)}
        destination={destination}
        email={email}
        denyAddress={denyRedirect(checked)}
      />
    </Sheet>
  );
}

function findRepeated(search: Awaited<Props['searchParams']>): ApiError | null {
  const found = Object.entries(search).find(([, value]) => Array.isArray(value));
  return found === undefined ? null : repeated(found[0]);
}

async function check(parameters: RedirectParameters): Promise<CheckedRedirect | ApiError> {
  try {
    return await checkRedirect(readRedirect(parameters));
  } catch (failure) {
    if (failure instanceof ApiError) return failure;
    throw failure;
  }
}

/** Does not redirect: a URL that is not the app's own must not learn anything. */
function Refusal({ texts, brand, reason }: { texts: PageTexts<'authorize'>; brand: string; reason: string }) {
  const { say } = speakPage(texts);
  return (
    <Sheet brand={brand}>
      <h1 className="text-2xl font-semibold">{say.impossible}</h1>
      <p className="mt-1.5 text-muted">{say.impossibleText}</p>
      <p className="mt-4 rounded-xl bg-sunken p-4 text-sm wrap-anywhere">{reason}</p>
    </Sheet>
  );
}
