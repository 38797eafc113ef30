import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Płatność',
  close: 'Zamknij stronę płatności',
  loading: 'Otwieranie strony płatności…',
  slow: 'Strona płatności nie odpowiada',
  slowHint: 'Przyczyną może być bloker treści lub słabe połączenie.',
  retry: 'Spróbuj ponownie',
  window: 'Otwórz w nowym oknie',
  elsewhere: 'Kontynuuj w drugim oknie',
  elsewhereHint: 'Ta strona będzie kontynuowana, gdy tam skończysz.',
};
