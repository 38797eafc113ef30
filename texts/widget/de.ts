import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Bezahlen',
  close: 'Bezahlseite schließen',
  loading: 'Bezahlseite wird geöffnet…',
  slow: 'Die Bezahlseite antwortet nicht',
  slowHint: 'Möglicherweise liegt es an einem Blocker oder einer schlechten Verbindung.',
  retry: 'Erneut versuchen',
  window: 'In neuem Fenster öffnen',
  elsewhere: 'Im anderen Fenster fortfahren',
  elsewhereHint: 'Sobald Sie dort fertig sind, geht es hier weiter.',
};
