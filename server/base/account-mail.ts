import type { Language } from '../../texts/languages';
import { settings } from './env';
import { escapeHtml } from './html';
import { htmlMail, htmlParagraph, type Mail } from './mail';
import { mailWords } from './mail-words';
import { labelStop, type StopLink, writeStopPath } from './stop-link';
import { type Subscription, writeUnsubscribePaths } from './unsubscribe-link';

/** What the mails about credits and payouts share. */

type Link = { label: string; path: string };
type MailText = {
  language?: Language;
  subject: string;
  paragraphs: string[];
  link: Link;
  note: string;
  further?: Link;
  /** Whose spending the mail can stop, and that of which app. */
  stops?: StopLink;
  /** The kind of mails that the mail itself ends. */
  ends?: Subscription;
};

export function writeAccountMail({
  language = 'en',
  subject,
  paragraphs,
  link,
  note,
  further,
  stops,
  ends,
}: MailText): Omit<Mail, 'to'> {
  const say = mailWords(language).links;
  const stop = stops && { label: labelStop(stops, language), path: writeStopPath(stops) };
  const unsubscribe = ends && writeUnsubscribePaths(ends);
  const end = unsubscribe && { label: say.unsubscribe, path: unsubscribe.page };
  const links = [link, further, stop, end].filter((shown) => shown !== undefined);
  const [first, ...rest] = links.map(({ label, path }) => ({ label, url: settings().BASE_URL + path }));
  const asText = (shown: typeof first) => (shown ? [`${shown.label}:\n${shown.url}`] : []);
  const asHtml = (shown: typeof first) =>
    shown
      ? `<p style="margin:0 0 12px"><a href="${escapeHtml(shown.url)}">${escapeHtml(shown.label)}</a></p>`
      : '';
  return {
    subject,
    text: `${[...paragraphs, ...asText(first), note, ...rest.flatMap(asText)].join('\n\n')}\n`,
    html: htmlMail(
      `<h1 style="margin:0 0 12px;font-size:20px">${escapeHtml(subject)}</h1>` +
        paragraphs.map(htmlParagraph).join('') +
        asHtml(first) +
        htmlParagraph(note) +
        rest.map(asHtml).join(''),
    ),
    ...(unsubscribe && { unsubscribeUrl: settings().BASE_URL + unsubscribe.oneClick }),
  };
}
