import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Betalen',
  close: 'Betaalpagina sluiten',
  loading: 'Betaalpagina wordt geopend…',
  slow: 'De betaalpagina reageert niet',
  slowHint: 'Een contentblocker of een slechte verbinding kan de oorzaak zijn.',
  retry: 'Opnieuw proberen',
  window: 'Openen in een nieuw venster',
  elsewhere: 'Ga verder in het andere venster',
  elsewhereHint: 'Deze pagina gaat verder zodra je daar klaar bent.',
};
