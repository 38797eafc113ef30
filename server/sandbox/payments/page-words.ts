import { formatMoney } from './money-text';

/** What the payment page says, in the languages that its sessions may ask for. English is the key. */

export type PageLanguage = 'en' | 'de';
export type Words = {
  language: PageLanguage;
  /** `{name}` stands for a value. */
  say(text: string, values?: { [name: string]: string | number }): string;
  money(minorUnits: number, currency: string): string;
};

export function wordsIn(language: PageLanguage): Words {
  return {
    language,
    say(text, values = {}) {
      const known = language === 'de' ? (GERMAN[text] ?? text) : text;
      return known.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
    },
    money: (minorUnits, currency) => formatMoney(minorUnits, currency, language),
  };
}

/** The session's own language; with `auto`, the browser's. */
export function choosePageLanguage(locale: string | null, accepted: string): PageLanguage {
  const wanted = locale === null || locale === 'auto' ? accepted : locale;
  const first = wanted.split(',').find((entry) => /^\s*(de|en)\b/i.test(entry));
  return /^\s*de\b/i.test(first ?? '') ? 'de' : 'en';
}

export const GERMAN: { readonly [english: string]: string } = {
  'Pay {price}': '{price} bezahlen',
  'Pay {merchant}': 'Zahlung an {merchant}',
  'Amount due': 'Zu zahlen',
  'Order summary': 'Bestellung',
  Total: 'Summe',
  'Tax is included.': 'Steuern sind enthalten.',
  'Quantity {count}': 'Menge {count}',
  'Cancel and go back': 'Abbrechen und zurück',
  'Payment method': 'Zahlungsart',
  Card: 'Karte',
  'Bank debit': 'Lastschrift',
  'Card payment': 'Mit Karte bezahlen',
  'Card number': 'Kartennummer',
  Expiry: 'Gültig bis',
  'MM / YY': 'MM / JJ',
  CVC: 'Prüfnummer',
  'Name on card': 'Name auf der Karte',
  'Account number (IBAN)': 'Kontonummer (IBAN)',
  'Account holder': 'Kontoinhaber',
  'The bank decides later: a real one takes some days.':
    'Die Bank entscheidet später: eine echte braucht einige Tage.',
  'Sandbox: no real money moves.': 'Sandbox: Es fließt kein echtes Geld.',
  'Fill in test card': 'Testkarte eintragen',
  'More test cards': 'Weitere Testkarten',
  Country: 'Land',
  'Choose…': 'Bitte wählen…',
  Austria: 'Österreich',
  Germany: 'Deutschland',
  'United States': 'Vereinigte Staaten',
  'I accept the terms of service': 'Ich stimme den Nutzungsbedingungen zu',
  'This page needs JavaScript to take a payment.': 'Diese Seite braucht JavaScript für eine Zahlung.',
  'Processing…': 'Wird bezahlt…',
  'The payment could not be sent. Check your connection and try again.':
    'Die Zahlung konnte nicht gesendet werden. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'Payment complete': 'Zahlung abgeschlossen',
  'You paid {price}.': 'Sie haben {price} bezahlt.',
  '{price} was paid. You can close this page.': '{price} wurden bezahlt. Sie können diese Seite schließen.',
  'Payment sent': 'Zahlung gesendet',
  'Your bank decides soon. You can close this page.':
    'Ihre Bank entscheidet bald. Sie können diese Seite schließen.',
  'This payment has expired': 'Diese Zahlung ist abgelaufen',
  'Nothing was charged. Go back and start again.':
    'Es wurde nichts abgebucht. Gehen Sie zurück und beginnen Sie neu.',
  'Go back': 'Zurück',
  'Not found': 'Nicht gefunden',
  'This payment page does not exist': 'Diese Bezahlseite gibt es nicht',
  'The link may be incomplete. Start again from the page that sent you here.':
    'Vielleicht ist der Link unvollständig. Beginnen Sie auf der Seite neu, von der Sie kommen.',
  'Confirm it’s you': 'Bestätigen Sie, dass Sie es sind',
  'The test bank asks you to approve {price} with the card ending in {card}. A real bank would show its own 3-D Secure page here.':
    'Die Testbank bittet Sie, {price} mit der Karte zu bestätigen, die auf {card} endet. Eine echte Bank zeigte hier ihre eigene 3-D-Secure-Seite.',
  'Complete authentication': 'Bestätigen',
  'Fail authentication': 'Bestätigung scheitern lassen',

  Pays: 'Zahlt',
  '3-D Secure': '3-D Secure',
  '3-D Secure 2': '3-D Secure 2',
  'Pays, then disputed': 'Zahlt, dann Anfechtung',
  'Pays, then the bank asks': 'Zahlt, dann Rückfrage',
  'Pays, then fraud warning': 'Zahlt, dann Betrugswarnung',
  Declined: 'Abgelehnt',
  'Insufficient funds': 'Nicht gedeckt',
  'Expired card': 'Abgelaufen',
  'Incorrect CVC': 'Falsche Prüfnummer',
  Succeeds: 'Gelingt',
  'Succeeds after 3 minutes': 'Gelingt nach 3 Minuten',
  Fails: 'Scheitert',
  'Fails after 3 minutes': 'Scheitert nach 3 Minuten',

  'Enter your card number.': 'Geben Sie die Kartennummer ein.',
  'Your card number is incomplete.': 'Die Kartennummer ist unvollständig.',
  'Your card number is invalid.': 'Die Kartennummer ist ungültig.',
  'Enter the expiry date.': 'Geben Sie das Ablaufdatum ein.',
  'The expiry date is incomplete.': 'Das Ablaufdatum ist unvollständig.',
  'The expiry month is invalid.': 'Der Ablaufmonat ist ungültig.',
  'The expiry date is in the past.': 'Das Ablaufdatum ist vorbei.',
  'The expiry year is invalid.': 'Das Ablaufjahr ist ungültig.',
  'Enter the security code.': 'Geben Sie die Prüfnummer ein.',
  'The security code is incomplete.': 'Die Prüfnummer ist unvollständig.',
  'Enter the name on the card.': 'Geben Sie den Namen auf der Karte ein.',
  'Enter an account number.': 'Geben Sie eine Kontonummer ein.',
  'The sandbox only takes the test accounts below.': 'Die Sandbox nimmt nur die Testkonten unten.',
  'Enter the name of the account holder.': 'Geben Sie den Namen des Kontoinhabers ein.',
  'Choose your country.': 'Wählen Sie Ihr Land.',
  'Accept the terms to go on.': 'Stimmen Sie den Bedingungen zu.',
  'Your card was declined.': 'Ihre Karte wurde abgelehnt.',
  'Your card has insufficient funds.': 'Ihre Karte ist nicht gedeckt.',
  'Your card has expired.': 'Ihre Karte ist abgelaufen.',
  "Your card's security code is incorrect.": 'Die Prüfnummer der Karte stimmt nicht.',
  'We could not authenticate your card. Choose a different card and try again.':
    'Ihre Karte konnte nicht bestätigt werden. Nehmen Sie eine andere Karte.',
  'Your card was declined. The sandbox only takes test cards, such as 4242 4242 4242 4242.':
    'Ihre Karte wurde abgelehnt. Die Sandbox nimmt nur Testkarten, wie 4242 4242 4242 4242.',
};
