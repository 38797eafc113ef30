const en = {
  title: 'Checkout',
  close: 'Close checkout',
  loading: 'Opening the checkout…',
  slow: 'The checkout is not responding',
  slowHint: 'A content blocker or a poor connection may be the cause.',
  retry: 'Try again',
  window: 'Open in a new window',
  elsewhere: 'Continue in the other window',
  elsewhereHint: 'This page continues when you are done there.',
};

const de: typeof en = {
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

export const texts = (): typeof en => (/^de\b/i.test(navigator.language) ? de : en);
