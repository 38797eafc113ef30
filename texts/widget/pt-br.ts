import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Pagamento',
  close: 'Fechar a página de pagamento',
  loading: 'Abrindo a página de pagamento…',
  slow: 'A página de pagamento não responde',
  slowHint: 'A causa pode ser um bloqueador de conteúdo ou uma conexão ruim.',
  retry: 'Tentar novamente',
  window: 'Abrir em uma nova janela',
  elsewhere: 'Continue na outra janela',
  elsewhereHint: 'Esta página continua quando você terminar lá.',
};
