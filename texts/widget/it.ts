import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Pagamento',
  close: 'Chiudi la pagina di pagamento',
  loading: 'Apertura della pagina di pagamento…',
  slow: 'La pagina di pagamento non risponde',
  slowHint: 'La causa può essere un blocco dei contenuti o una connessione scarsa.',
  retry: 'Riprova',
  window: 'Apri in una nuova finestra',
  elsewhere: 'Continua nell’altra finestra',
  elsewhereHint: 'Questa pagina prosegue quando avrai finito lì.',
};
