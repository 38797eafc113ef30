import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Pago',
  close: 'Cerrar la página de pago',
  loading: 'Abriendo la página de pago…',
  slow: 'La página de pago no responde',
  slowHint: 'Puede deberse a un bloqueador de contenido o a una mala conexión.',
  retry: 'Reintentar',
  window: 'Abrir en una ventana nueva',
  elsewhere: 'Continúe en la otra ventana',
  elsewhereHint: 'Esta página continúa cuando termine allí.',
};
