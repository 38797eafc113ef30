import { formatMoney } from './money-text';

/** The payment page's texts. The English text is the key of its translation. */

export type PageLanguage = 'en' | 'de';
export type Words = {
  language: PageLanguage;
  /** `{name}` is replaced by a value. */
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
  'Amount due': 'Zu zahlen',
  'Order summary': 'Bestellung',
  Total: 'Summe',
  'Tax is included.': 'Steuern sind enthalten.',
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
  'Bank debits are confirmed later. A real bank takes a few days.':
    'Lastschriften werden später bestätigt. Eine echte Bank braucht einige Tage.',
  'Sandbox: no real money moves.': 'Sandbox: Es fließt kein echtes Geld.',
  'Fill in test card': 'Testkarte eintragen',
  'More test cards': 'Weitere Testkarten',
  Country: 'Land',
  'Choose…': 'Bitte wählen…',
  Austria: 'Österreich',
  Germany: 'Deutschland',
  'United States': 'Vereinigte Staaten',
  'I’m buying as a business': 'Ich kaufe als Unternehmen',
  'Business name': 'Firma',
  Address: 'Adresse',
  'Postal code': 'Postleitzahl',
  City: 'Ort',
  'Tax ID': 'Umsatzsteuer-ID',
  'I accept the terms of service': 'Ich stimme den Nutzungsbedingungen zu',
  'This page needs JavaScript to take a payment.': 'Für die Zahlung muss JavaScript aktiviert sein.',
  'Processing…': 'Wird verarbeitet…',
  'We couldn’t send the payment. Check your connection and try again.':
    'Die Zahlung konnte nicht gesendet werden. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'Payment complete': 'Zahlung abgeschlossen',
  'You paid {price}.': 'Sie haben {price} bezahlt.',
  'You paid {price}. You can close this page.':
    'Sie haben {price} bezahlt. Sie können diese Seite schließen.',
  'Payment sent': 'Zahlung gesendet',
  'Your bank will process it shortly. You can close this page.':
    'Ihre Bank bearbeitet sie in Kürze. Sie können diese Seite schließen.',
  'This payment has expired': 'Diese Zahlung ist abgelaufen',
  'Nothing was charged. Go back and start again.':
    'Es wurde nichts abgebucht. Gehen Sie zurück und versuchen Sie es erneut.',
  'Go back': 'Zurück',
  'Not found': 'Nicht gefunden',
  'This payment page does not exist': 'Diese Zahlungsseite existiert nicht',
  'The link may be incomplete. Start again from the page that sent you here.':
    'Möglicherweise ist der Link unvollständig. Starten Sie erneut auf der Seite, von der Sie gekommen sind.',
  'Confirm it’s you': 'Bestätigen Sie Ihre Identität',
  'The test bank asks you to approve {price} on the card ending in {card}. A real bank would show its own 3-D Secure page here.':
    'Die Testbank bittet Sie, {price} für die Karte mit den Endziffern {card} freizugeben. Eine echte Bank würde hier ihre eigene 3-D-Secure-Seite zeigen.',
  'The test bank asks you to approve {price}. A real bank would show its own 3-D Secure page here.':
    'Die Testbank bittet Sie, {price} freizugeben. Eine echte Bank würde hier ihre eigene 3-D-Secure-Seite zeigen.',
  'The test bank asks you to approve this card. A real bank would show its own 3-D Secure page here.':
    'Die Testbank bittet Sie, diese Karte freizugeben. Eine echte Bank würde hier ihre eigene 3-D-Secure-Seite zeigen.',
  'Pay with {card}': 'Mit {card} bezahlen',
  'Remove {card}': '{card} entfernen',
  'Save this card for next time': 'Diese Karte für das nächste Mal speichern',
  'Complete authentication': 'Bestätigen',
  'Fail authentication': 'Bestätigung fehlschlagen lassen',

  'Get paid': 'Auszahlungen erhalten',
  'Leave without finishing': 'Ohne Abschluss verlassen',
  'Stripe would ask for your details and your bank account here. Choose how it ends.':
    'Stripe würde hier nach Ihren Daten und Ihrem Bankkonto fragen. Wählen Sie, wie es ausgeht.',
  'Still needed:': 'Noch erforderlich:',
  Finish: 'Abschließen',
  'Leave an identity document due': 'Ein Ausweisdokument schuldig bleiben',
  'Be rejected': 'Abgelehnt werden',
  'Your account': 'Ihr Konto',
  'You can receive payouts.': 'Sie können Auszahlungen erhalten.',
  'You cannot receive payouts now.': 'Sie können derzeit keine Auszahlungen erhalten.',
  'Balance: {balance}': 'Guthaben: {balance}',
  'In transit': 'Unterwegs',
  Paid: 'Ausgezahlt',
  Failed: 'Fehlgeschlagen',

  Pays: 'Zahlt',
  '3-D Secure': '3-D Secure',
  '3-D Secure 2': '3-D Secure 2',
  '3-D Secure, unless set up': '3-D Secure, außer eingerichtet',
  'Can be saved, then declined': 'Speicherbar, dann abgelehnt',
  'Pays, then disputed': 'Zahlt, dann Anfechtung',
  'Pays, then inquiry': 'Zahlt, dann Rückfrage',
  'Pays, then fraud warning': 'Zahlt, dann Betrugswarnung',
  Declined: 'Abgelehnt',
  'Insufficient funds': 'Nicht gedeckt',
  'Expired card': 'Abgelaufen',
  'Incorrect CVC': 'Falsche Prüfnummer',
  Succeeds: 'Erfolgreich',
  'Succeeds after 3 minutes': 'Erfolgreich nach 3 Minuten',
  Fails: 'Schlägt fehl',
  'Fails after 3 minutes': 'Schlägt nach 3 Minuten fehl',

  'Enter your card number.': 'Geben Sie die Kartennummer ein.',
  'Your card number is incomplete.': 'Die Kartennummer ist unvollständig.',
  'Your card number is invalid.': 'Die Kartennummer ist ungültig.',
  'Enter the expiry date.': 'Geben Sie das Ablaufdatum ein.',
  'The expiry date is incomplete.': 'Das Ablaufdatum ist unvollständig.',
  'The expiry month is invalid.': 'Der Ablaufmonat ist ungültig.',
  'The expiry date is in the past.': 'Das Ablaufdatum liegt in der Vergangenheit.',
  'The expiry year is invalid.': 'Das Ablaufjahr ist ungültig.',
  'Enter the security code.': 'Geben Sie die Prüfnummer ein.',
  'The security code is incomplete.': 'Die Prüfnummer ist unvollständig.',
  'Enter the name on the card.': 'Geben Sie den Namen auf der Karte ein.',
  'Enter an account number.': 'Geben Sie eine Kontonummer ein.',
  'The sandbox accepts only the test accounts below.': 'Die Sandbox akzeptiert nur die Testkonten unten.',
  'Enter the name of the account holder.': 'Geben Sie den Namen des Kontoinhabers ein.',
  'Choose your country.': 'Wählen Sie Ihr Land.',
  'Accept the terms to continue.': 'Stimmen Sie den Nutzungsbedingungen zu.',
  'Your card was declined.': 'Ihre Karte wurde abgelehnt.',
  'Your card has insufficient funds.': 'Ihre Karte ist nicht ausreichend gedeckt.',
  'Your card has expired.': 'Ihre Karte ist abgelaufen.',
  "Your card's security code is incorrect.": 'Die Prüfnummer der Karte stimmt nicht.',
  'We could not authenticate your card. Choose a different card and try again.':
    'Wir konnten Ihre Karte nicht authentifizieren. Versuchen Sie es mit einer anderen Karte.',
  'Your card was declined. The sandbox accepts only test cards, such as 4242 4242 4242 4242.':
    'Ihre Karte wurde abgelehnt. Die Sandbox akzeptiert nur Testkarten wie 4242 4242 4242 4242.',
};
