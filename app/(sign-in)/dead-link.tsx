import { withPart } from '@/app/_ui/with-part';
import { PAGE_TEXTS } from '@/texts/pages';
import type { texts as english } from '@/texts/pages/en';
import { speak } from '@/texts/say';
import { readLanguage } from '../_session/language';

type Props = {
  /** What was behind the link: the user can do it in the account as well. */
  task: 'continue' | 'stop' | 'revoke' | 'undo' | 'unsubscribe';
  href: string;
};

/** In place of the page of a link that was mailed or sent to an app. */
export async function DeadLink({ task, href }: Props) {
  const language = await readLanguage();
  const say = speak<(typeof english)['deadLink']>(PAGE_TEXTS[language].deadLink, language);
  return (
    <>
      <h1 className="text-2xl font-semibold">{say.title}</h1>
      <p className="mt-1.5 text-muted">
        {withPart(
          (account) => say[task]({ account }),
          <a href={href} className="underline">
            {say.account}
          </a>,
        )}
      </p>
    </>
  );
}
