import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'Paiement',
  close: 'Fermer la page de paiement',
  loading: 'Ouverture de la page de paiement…',
  slow: 'La page de paiement ne répond pas',
  slowHint: 'Un bloqueur de contenu ou une mauvaise connexion peut en être la cause.',
  retry: 'Réessayer',
  window: 'Ouvrir dans une nouvelle fenêtre',
  elsewhere: 'Continuez dans l’autre fenêtre',
  elsewhereHint: 'Cette page continuera lorsque vous aurez terminé.',
};
