import type { Language } from '../../../../texts/languages';
import { textOf } from '../../../../texts/say';
import { mailWords } from '../../../base/mail-words';
import type { OffReason } from './auto-top-up';

/** Why auto top-up is off, as the page and the mail say it. */
export function describeOff(
  reason: OffReason,
  amount: string,
  card: string,
  language: Language = 'en',
): { title: string; text: string } {
  const say = mailWords(language).topUp;
  return { title: textOf(say.titles, reason) ?? say.titles.declined, text: writeText() };

  function writeText(): string {
    switch (reason) {
      case 'user':
        return say.user;
      case 'not_allowed':
        return say.notAllowed({ card });
      case 'unknown_card':
        return say.unknownCard({ card });
      case 'reversed':
        return say.reversed;
      case 'no_tax_address':
        return say.noTaxAddress({ amount, card });
      case 'not_confirmed':
        return say.notConfirmed({ amount, card });
      case 'insufficient_funds':
      case 'expired_card':
        return say.declinedByCard({ amount, card });
      default:
        return say.declined({ amount, card });
    }
  }
}
