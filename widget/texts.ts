const en = {
  title: 'Checkout',
  close: 'Close checkout',
  loading: 'Opening the checkout…',
  slow: 'The checkout does not answer',
  slowHint: 'A blocker or a weak connection may be in the way.',
  retry: 'Try again',
  window: 'Open in a new window',
  elsewhere: 'Continue in the other window',
  elsewhereHint: 'This page goes on as soon as you are done there.',
};

const de: typeof en = {
  title: 'Bezahlen',
  close: 'Schließen',
  loading: 'Wird geöffnet…',
  slow: 'Die Bezahlseite antwortet nicht',
  slowHint: 'Vielleicht stört ein Blocker oder eine schwache Verbindung.',
  retry: 'Erneut versuchen',
  window: 'In neuem Fenster öffnen',
  elsewhere: 'Weiter im anderen Fenster',
  elsewhereHint: 'Diese Seite macht weiter, sobald Sie dort fertig sind.',
};

export const texts = (): typeof en => (/^de\b/i.test(navigator.language) ? de : en);
