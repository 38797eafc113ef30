import { describeWait } from '@/server/base/describe-wait';
import type { Language } from '../_ui/language';

/** All texts of the checkout, in each of its languages. */
const en = {
  loading: 'Opening the checkout…',
  footer: (brand: string) => `Secured by ${brand}`,
  sandbox: 'Test mode: no real money moves',
  retry: 'Try again',
  back: 'Back',
  done: 'Done',
  credits: 'credits',

  refusedTitle: 'Checkout isn’t available here',
  refused: {
    origin: {
      text: 'This page isn’t registered to take payments for this app:',
      hint: 'Is this your app? Add the address above to its allowed origins in your partner dashboard.',
    },
    key: {
      text: 'This page uses an unknown publishable key:',
      hint: 'Is this your app? Copy its publishable key again from your partner dashboard.',
    },
    disabled: {
      text: 'This app is paused:',
      hint: 'Your credits and the app’s keys are kept. You can use it again once it’s re-enabled.',
    },
  },
  noOpenerTitle: 'Open the checkout from an app',
  noOpenerText: 'Go back to the app and open the checkout there.',
  lostTitle: 'This checkout is no longer open',
  lostText: 'Close this window and open the checkout again.',
  brokenTitle: 'Checkout couldn’t be opened',
  brokenText: 'Check your connection and try again.',
  unavailableText: 'We’re busy right now. Please try again in a moment.',

  signIn: 'Sign in',
  signInTitle: 'Sign in to continue',
  signInText: (app: string) =>
    `${app} uses prepaid credits. Enter your e-mail to sign in or create an account.`,
  stepUpTitle: 'Confirm it’s you',
  stepUpText: (app: string) =>
    `Only you can pay and decide what ${app} may spend. We’ll send you a code by e-mail.`,
  stepUpForCode: (code: string) =>
    `To use the code ${code}, confirm it’s you. We’ll send you a code by e-mail.`,
  otherAccountTitle: (app: string) => `This is not the account used in ${app}`,
  otherAccountText: (app: string, email: string) =>
    `${email} belongs to another account. If you continue with it, ${app} uses that account and its credits from now on.`,
  otherAccountRetry: 'Try another address',
  knownText: (app: string) => `You’re signed in on this device. Continue to ${app} with this account?`,
  continueAs: 'Continue as',
  email: 'E-mail',
  emailPlaceholder: 'you@example.com',
  emailInvalid: 'Enter a complete e-mail address.',
  emailPrivacy: (app: string) => `${app} never sees your e-mail address.`,
  sendCode: 'Send code',
  or: 'or',
  linkText: 'Enter the code once. Later sign-ins need none.',
  continueWith: (issuer: string) => `Continue with ${issuer}`,
  windowBlocked: 'Your browser blocked the window. Allow it, or use a code.',
  issuerFailures: {
    failed: 'The sign-in didn’t succeed. Try again, or use a code.',
    cancelled: 'You cancelled the sign-in.',
    unverified: 'Your e-mail address isn’t verified there. Use a code instead.',
    refused: 'This account may not sign in here.',
    limited: 'Too many attempts. Wait a few minutes, then try again.',
    moved: 'Your account has a new e-mail address. Sign in with that one.',
  } as Record<string, string>,
  codeTitle: 'Check your inbox',
  codeText: 'We sent a six-digit code to',
  code: 'Code',
  codeIncomplete: 'Enter all six digits.',
  codeInvalid: 'The code is incorrect. Check it, or request a new one.',
  codeExpired: 'The code has expired. Request a new one.',
  passkeyNeeded: 'You confirm changes with a passkey. Set this allowance in your account.',
  codeHint: 'The code is valid for 10 minutes.',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `Send a new code in ${seconds} s`,
  resent: 'We sent a new code. The old one no longer works.',
  otherEmail: 'Use another e-mail',
  mailCaught: 'No e-mails are sent in test mode.',
  mailOpen: 'Open the test mailbox',
  signOut: 'Sign out',

  balance: 'Balance in this app',
  allowanceTitle: (app: string) => `Allow ${app} to use your credits?`,
  allowanceText: (credits: string) =>
    `You have ${credits} credits bought elsewhere. Choose how many this app may use.`,
  allowanceUsedUp: (credits: string) =>
    `Your allowance for this app is used up. You have ${credits} credits. Choose how many more it may use.`,
  limitReachedTitle: (app: string) => `${app} cannot spend your credits now`,
  limitStopApp: (app: string) => `You stopped ${app}. Resume it in your account.`,
  limitStopAll: 'You stopped all apps. Resume them in your account.',
  limitReview: 'This service has paused requests while it reviews them. Your credits are kept.',
  limitReached: (period: 'day' | 'week' | 'month', app: string | null, isForAll: boolean) =>
    app === null
      ? `Your limit per ${period} for ${isForAll ? 'all apps' : 'this app'} is reached.`
      : `The limit per ${period} that ${app} sets for its users is reached.`,
  limitResetsAt: (time: string) => `It resets ${time}.`,
  limitRaise: (isOfApp: boolean): string =>
    isOfApp ? 'Only the app can raise it.' : 'You can raise it in your account.',
  limitNotLifted: 'More credits do not change this.',
  resumeApp: (app: string) => `Resume ${app}`,
  resumeAll: 'Resume all apps',
  changeLimits: 'Change your limits',
  limitTitle: (scope: 'app' | 'all' | 'partner', period: 'day' | 'week' | 'month') =>
    scope === 'partner'
      ? `Limit per ${period}, set by this app`
      : `Your limit per ${period}, ${scope === 'app' ? 'this app' : 'all apps'}`,
  limitUsed: (used: string, most: string) => `${used} of ${most} ${most === '1' ? 'credit' : 'credits'}`,
  limitResets: (time: string) => `Resets ${time}`,
  allowanceField: 'Up to',
  allowanceInvalid: (most: string) => `Enter a number from 1 to ${most}.`,
  allowanceAll: (credits: string) => `All ${credits}`,
  allowanceHint: 'You can change or remove this anytime in your account.',
  allow: (credits: string) => `Allow up to ${credits} credits`,
  allowanceCodeTitle: 'Confirm the allowance',
  allowanceCodeText: (app: string, credits: string) =>
    `This code lets ${app} use up to ${credits} of your credits. We sent it to`,
  covered: 'Something on this page covers the checkout. The button works once it’s fully visible.',
  buyInstead: 'Buy credits instead',
  useOwn: 'Use credits you already have',
  accountTitle: 'Your credits',
  accountOpen: (app: string) => `${app}: account`,
  accountHere: (app: string) => `Available in ${app}`,
  accountHelp: (app: string) => `Help with ${app}`,
  accountAll: 'All your credits',
  accountAllowance: 'Allowance for this app',
  accountNoAllowance: 'None',
  accountMore: 'Open your account',
  accountMails: 'Limits and e-mails about spending',
  accountByKey: (app: string) =>
    `${app} recognised you. Sign in here to see your other credits and your e-mail address.`,
  signOutHint: (app: string) => `Signing out ends ${app}’s access to your credits.`,
  allowedTitle: 'Allowance saved',
  allowedText: (app: string, credits: string) => `${app} may use up to ${credits} of your credits.`,

  amountTitle: 'Buy credits',
  amountText: (app: string) => `For ${app}. Credits don’t expire.`,
  amountGroup: 'Amount',
  amountCustom: 'Other amount',
  amountInvalid: (least: string, most: string) => `Enter an amount from ${least} to ${most}.`,
  amountRange: (least: string, most: string) => `From ${least} to ${most}.`,
  youPay: 'You pay',
  youGet: 'You receive',
  bonus: 'Bonus credits',
  codeAdd: 'Add promotion code',
  codeLabel: 'Promotion code',
  codeApply: 'Apply',
  codeApplied: (code: string) => `Code ${code}`,
  codeRemove: (code: string) => `Remove code ${code}`,
  codeMinimum: (credits: string) => `Choose an amount of at least ${credits} credits for this code.`,
  codeRefusals: {
    unknown: 'This code isn’t valid. Check it for typing errors.',
    not_started: 'This code isn’t valid yet.',
    ended: 'This code is no longer valid.',
    exhausted: 'This code has been used up.',
    other_app: 'This code isn’t valid here.',
    used: 'You’ve already used this code.',
    not_first_purchase: 'This code is only valid for your first purchase.',
    too_small: 'This amount is too small for the code.',
  } as Record<string, string>,
  answers: (count: string, model: string) => `About ${count} answers here, of 400 words from ${model}.`,
  taxIncluded: 'Tax is included.',
  rate: (from: string, to: string) => `1 ${from} = ${to}, fixed when you continue.`,
  rateLocked: (from: string, to: string) => `1 ${from} = ${to}, fixed for this payment.`,
  continue: (money: string) => `Continue with ${money}`,
  goOn: 'Continue',
  eurPaused: 'Payments in euros are currently unavailable. You can pay in US dollars.',

  card: 'Card',
  cardsLoading: 'Loading your cards…',
  cardExpires: (date: string) => `expires ${date}`,
  cardPay: (money: string, card: string) => `Pay ${money} with ${card}`,
  cardOther: 'Another payment method',
  cardSave: 'Save a card for next time',
  setLimits: 'Set spending limits',
  cardRemove: 'Remove',
  cardRemoveText: (card: string) => `Remove ${card}? You can save it again when you pay.`,
  cardRemoveTopUp: 'Auto top-up uses this card and is turned off.',
  cardKeep: 'Keep',
  cardGone: 'This card was removed. Choose another one.',
  cardPasskey: 'You confirm changes with a passkey. Pay with another method, or buy credits in your account.',
  bankTitle: 'Your bank asks you to confirm',
  bankText: 'Its page opens here. Your credits are added once you’ve confirmed.',
  bankOpen: 'Continue to your bank',

  paymentTitle: 'Payment',
  paymentFrame: 'Payment form',
  paymentLoading: 'Loading the payment form…',
  hostedText: 'The payment opens in a new tab. Come back here when you’re done.',
  hostedOpen: 'Open payment',
  hostedAgain: 'Open payment again',
  manualText: 'Complete the payment in the app. This page updates automatically.',
  waiting: 'Waiting for your payment…',
  leaveTitle: 'Leave this payment?',
  leaveText: 'It isn’t complete yet. If you’ve already paid, your credits will still be added.',
  leave: 'Leave',
  stay: 'Continue paying',

  confirming: 'Confirming your payment…',
  processingTitle: 'Your bank is processing the payment',
  processingText:
    'This can take a few days. You can close this window: we’ll add your credits and send you a receipt by e-mail once it’s done.',
  close: 'Close',
  confirmingSlow:
    'This is taking longer than usual. You can close this window: your credits will be added automatically.',
  successTitle: (credits: string) => `${credits} credits added`,
  successText: (app: string) => `You can use them in ${app} now.`,
  successLater: (app: string) => `${app} cannot spend them yet.`,
  successDebt: (app: string) =>
    `They cover credits that were spent before a refund. ${app} has none to spend.`,
  newBalance: 'New balance',
  paid: 'Paid',
  receipt: 'Receipt',
  receiptOpen: 'View receipt',
  invoice: 'Invoice',
  invoiceGet: 'Get an invoice',
  receiptMailed: 'We’ll also send you a copy by e-mail.',
  optIn: (app: string) => `Also let ${app} use credits I bought elsewhere`,
  optInHint: (credits: string) =>
    `You have ${credits} of these. They stay untouched unless you check this box.`,
  optInSave: (credits: string) => `Allow up to ${credits} and finish`,
  failedTitle: 'The payment didn’t go through',
  failedText: 'Try another card. You were not charged.',
  failures: {
    insufficient_funds: 'Your card has insufficient funds.',
    expired_card: 'Your card has expired.',
    wrong_security_code: 'Your card’s security code is incorrect.',
    wrong_number: 'Your card number is incorrect.',
    card_limit: 'Your card’s limit has been reached.',
    not_confirmed: 'Your bank asked for a confirmation that wasn’t completed.',
    try_later: 'Your bank couldn’t process the payment right now.',
    declined: 'Your bank declined the payment.',
    unknown_card: 'This card is no longer saved.',
    no_tax_address: 'We need your address for tax. Pay with the form once to enter it.',
  } as Record<string, string>,
  wrongPaymentTitle: 'This payment needs review',
  wrongPaymentText:
    'The amount received doesn’t match the order, so no credits were added. Please contact support.',
  expiredTitle: 'The payment has expired',
  expiredText: 'It wasn’t completed in time. You were not charged.',
  chooseAgain: 'Choose an amount',

  returnPaid: (credits: string) => `${credits} credits added`,
  returnPaidText: (app: string) => `You can close this tab and go back to ${app}.`,
  returnTitle: 'Thank you',
  returnText:
    'You can close this tab and go back to the app. Your credits appear there once the payment is confirmed.',
  cancelTitle: 'Payment cancelled',
  cancelText: 'You were not charged. You can close this tab and go back to the app.',

  wrong: 'Something went wrong. Please try again.',
  paymentsUnavailable: 'Payments are not available right now. The operator has been notified.',
  purchasesBlocked:
    'You can’t buy credits with this account. The credits you have still work. Please contact support.',
  offline: 'No connection. Please try again.',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${describeWait(seconds)}.`,
  keyFailed: 'The app didn’t receive your sign-in. Please try again.',
};

export type Messages = typeof en;

const de: Messages = {
  loading: 'Bezahlseite wird geöffnet…',
  footer: (brand) => `Gesichert durch ${brand}`,
  sandbox: 'Testmodus: Es fließt kein echtes Geld',
  retry: 'Erneut versuchen',
  back: 'Zurück',
  done: 'Fertig',
  credits: 'Credits',

  refusedTitle: 'Bezahlen ist hier nicht möglich',
  refused: {
    origin: {
      text: 'Diese Seite ist nicht für Zahlungen dieser App registriert:',
      hint: 'Ist das Ihre App? Fügen Sie die Adresse oben im Partner-Dashboard zu den erlaubten Ursprüngen hinzu.',
    },
    key: {
      text: 'Diese Seite verwendet einen unbekannten öffentlichen Schlüssel:',
      hint: 'Ist das Ihre App? Kopieren Sie ihren öffentlichen Schlüssel erneut aus dem Partner-Dashboard.',
    },
    disabled: {
      text: 'Diese App ist pausiert:',
      hint: 'Ihr Guthaben und die Schlüssel der App bleiben erhalten. Sie können die App wieder nutzen, sobald sie freigeschaltet ist.',
    },
  },
  noOpenerTitle: 'Öffnen Sie die Bezahlseite in einer App',
  noOpenerText: 'Kehren Sie zur App zurück und öffnen Sie die Bezahlseite dort.',
  lostTitle: 'Diese Bezahlseite ist nicht mehr gültig',
  lostText: 'Bitte schließen Sie dieses Fenster und öffnen Sie die Bezahlseite erneut.',
  brokenTitle: 'Die Bezahlseite konnte nicht geöffnet werden',
  brokenText: 'Bitte überprüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  unavailableText: 'Wir sind gerade stark ausgelastet. Bitte versuchen Sie es gleich noch einmal.',

  signIn: 'Anmelden',
  signInTitle: 'Melden Sie sich an, um fortzufahren',
  signInText: (app) =>
    `${app} nutzt Prepaid-Credits. Geben Sie Ihre E-Mail-Adresse ein, um sich anzumelden oder ein Konto zu erstellen.`,
  stepUpTitle: 'Bestätigen Sie, dass Sie es sind',
  stepUpText: (app) =>
    `Nur Sie können bezahlen und entscheiden, was ${app} ausgeben darf. Wir senden Ihnen einen Code per E-Mail.`,
  stepUpForCode: (code) =>
    `Bestätigen Sie, dass Sie es sind, um den Code ${code} zu nutzen. Wir senden Ihnen einen Code per E-Mail.`,
  otherAccountTitle: (app) => `Das ist nicht das Konto, das ${app} nutzt`,
  otherAccountText: (app, email) =>
    `${email} gehört zu einem anderen Konto. Wenn Sie damit fortfahren, nutzt ${app} ab jetzt dieses Konto und sein Guthaben.`,
  otherAccountRetry: 'Andere Adresse versuchen',
  knownText: (app) => `Sie sind auf diesem Gerät angemeldet. Mit diesem Konto weiter zu ${app}?`,
  continueAs: 'Weiter als',
  email: 'E-Mail',
  emailPlaceholder: 'sie@example.com',
  emailInvalid: 'Bitte geben Sie eine vollständige E-Mail-Adresse ein.',
  emailPrivacy: (app) => `${app} erhält Ihre E-Mail-Adresse nicht.`,
  sendCode: 'Code senden',
  or: 'oder',
  linkText: 'Geben Sie einmal den Code ein. Spätere Anmeldungen brauchen keinen.',
  continueWith: (issuer) => `Weiter mit ${issuer}`,
  windowBlocked: 'Ihr Browser hat das Fenster blockiert. Erlauben Sie es, oder nutzen Sie einen Code.',
  issuerFailures: {
    failed: 'Die Anmeldung ist nicht gelungen. Versuchen Sie es erneut, oder nutzen Sie einen Code.',
    cancelled: 'Sie haben die Anmeldung abgebrochen.',
    unverified: 'Ihre E-Mail-Adresse ist dort nicht bestätigt. Nutzen Sie einen Code.',
    refused: 'Dieses Konto darf sich hier nicht anmelden.',
    limited: 'Zu viele Versuche. Warten Sie einige Minuten, und versuchen Sie es erneut.',
    moved: 'Ihr Konto hat eine neue E-Mail-Adresse. Melden Sie sich mit dieser an.',
  },
  codeTitle: 'Prüfen Sie Ihr Postfach',
  codeText: 'Wir haben einen sechsstelligen Code gesendet an',
  code: 'Code',
  codeIncomplete: 'Geben Sie alle sechs Ziffern ein.',
  codeInvalid: 'Der Code ist nicht korrekt. Überprüfen Sie ihn oder fordern Sie einen neuen an.',
  codeExpired: 'Der Code ist abgelaufen. Fordern Sie einen neuen an.',
  passkeyNeeded: 'Sie bestätigen Änderungen mit einem Passkey. Legen Sie die Freigabe in Ihrem Konto fest.',
  codeHint: 'Der Code gilt 10 Minuten.',
  resend: 'Neuen Code senden',
  resendIn: (seconds) => `Neuer Code in ${seconds} s`,
  resent: 'Wir haben einen neuen Code gesendet. Der alte gilt nicht mehr.',
  otherEmail: 'Andere E-Mail-Adresse',
  mailCaught: 'Im Testmodus werden keine E-Mails versendet.',
  mailOpen: 'Test-Postfach öffnen',
  signOut: 'Abmelden',

  balance: 'Guthaben in dieser App',
  allowanceTitle: (app) => `Darf ${app} Ihre Credits nutzen?`,
  allowanceText: (credits) =>
    `Sie haben ${credits} anderswo gekaufte Credits. Wählen Sie, wie viele diese App nutzen darf.`,
  allowanceUsedUp: (credits) =>
    `Ihre Freigabe für diese App ist aufgebraucht. Sie haben ${credits} Credits. Wählen Sie, wie viele sie noch nutzen darf.`,
  limitReachedTitle: (app) => `${app} kann Ihre Credits zurzeit nicht nutzen`,
  limitStopApp: (app) => `Sie haben ${app} gestoppt. Setzen Sie die App in Ihrem Konto fort.`,
  limitStopAll: 'Sie haben alle Apps gestoppt. Setzen Sie sie in Ihrem Konto fort.',
  limitReview:
    'Dieser Dienst prüft Ihre Anfragen und hat sie so lange pausiert. Ihr Guthaben bleibt erhalten.',
  limitReached: (period, app, isForAll) => {
    const limit = `Limit pro ${{ day: 'Tag', week: 'Woche', month: 'Monat' }[period]}`;
    if (app !== null) return `Das ${limit}, das ${app} für Nutzer festlegt, ist erreicht.`;
    return `Ihr ${limit} für ${isForAll ? 'alle Apps' : 'diese App'} ist erreicht.`;
  },
  limitResetsAt: (time) => `Es beginnt neu am ${time}.`,
  limitRaise: (isOfApp) =>
    isOfApp ? 'Nur die App kann es erhöhen.' : 'Sie können es in Ihrem Konto erhöhen.',
  limitNotLifted: 'Weitere Credits ändern daran nichts.',
  resumeApp: (app) => `${app} fortsetzen`,
  resumeAll: 'Alle Apps fortsetzen',
  changeLimits: 'Limits ändern',
  limitTitle: (scope, period) => {
    const limit = `Limit pro ${{ day: 'Tag', week: 'Woche', month: 'Monat' }[period]}`;
    if (scope === 'partner') return `${limit}, von dieser App gesetzt`;
    return `Ihr ${limit}, ${scope === 'app' ? 'diese App' : 'alle Apps'}`;
  },
  limitUsed: (used, most) => `${used} von ${most} ${most === '1' ? 'Credit' : 'Credits'}`,
  limitResets: (time) => `Beginnt neu: ${time}`,
  allowanceField: 'Bis zu',
  allowanceInvalid: (most) => `Geben Sie eine Zahl zwischen 1 und ${most} ein.`,
  allowanceAll: (credits) => `Alle ${credits}`,
  allowanceHint: 'Sie können das jederzeit in Ihrem Konto ändern oder entfernen.',
  allow: (credits) => `Bis zu ${credits} Credits freigeben`,
  allowanceCodeTitle: 'Freigabe bestätigen',
  allowanceCodeText: (app, credits) =>
    `Mit diesem Code darf ${app} bis zu ${credits} Ihrer Credits nutzen. Wir haben ihn gesendet an`,
  covered:
    'Etwas auf dieser Seite verdeckt die Bezahlseite. Die Schaltfläche funktioniert, sobald sie ganz sichtbar ist.',
  buyInstead: 'Stattdessen Credits kaufen',
  useOwn: 'Vorhandene Credits nutzen',
  accountTitle: 'Ihr Guthaben',
  accountOpen: (app) => `${app}: Konto`,
  accountHere: (app) => `Verfügbar in ${app}`,
  accountHelp: (app) => `Hilfe zu ${app}`,
  accountAll: 'Ihr gesamtes Guthaben',
  accountAllowance: 'Freigabe für diese App',
  accountNoAllowance: 'Keine',
  accountMore: 'Konto öffnen',
  accountMails: 'Limits und E-Mails zu Ausgaben',
  accountByKey: (app) =>
    `${app} hat Sie erkannt. Melden Sie sich hier an, um Ihr übriges Guthaben und Ihre E-Mail-Adresse zu sehen.`,
  signOutHint: (app) => `Wenn Sie sich abmelden, hat ${app} keinen Zugriff mehr auf Ihr Guthaben.`,
  allowedTitle: 'Freigabe gespeichert',
  allowedText: (app, credits) => `${app} darf bis zu ${credits} Ihrer Credits nutzen.`,

  amountTitle: 'Credits kaufen',
  amountText: (app) => `Für ${app}. Credits verfallen nicht.`,
  amountGroup: 'Betrag',
  amountCustom: 'Anderer Betrag',
  amountInvalid: (least, most) => `Geben Sie einen Betrag zwischen ${least} und ${most} ein.`,
  amountRange: (least, most) => `Von ${least} bis ${most}.`,
  youPay: 'Sie zahlen',
  youGet: 'Sie erhalten',
  bonus: 'Bonus-Credits',
  codeAdd: 'Aktionscode hinzufügen',
  codeLabel: 'Aktionscode',
  codeApply: 'Einlösen',
  codeApplied: (code) => `Code ${code}`,
  codeRemove: (code) => `Code ${code} entfernen`,
  codeMinimum: (credits) => `Wählen Sie für diesen Code einen Betrag ab ${credits} Credits.`,
  codeRefusals: {
    unknown: 'Dieser Code ist nicht gültig. Bitte überprüfen Sie ihn auf Tippfehler.',
    not_started: 'Dieser Code ist noch nicht gültig.',
    ended: 'Dieser Code ist nicht mehr gültig.',
    exhausted: 'Dieser Code ist aufgebraucht.',
    other_app: 'Dieser Code gilt hier nicht.',
    used: 'Sie haben diesen Code bereits eingelöst.',
    not_first_purchase: 'Dieser Code gilt nur für Ihren ersten Kauf.',
    too_small: 'Dieser Betrag ist für den Code zu klein.',
  },
  answers: (count, model) => `Etwa ${count} Antworten hier, mit je 400 Wörtern von ${model}.`,
  taxIncluded: 'Inklusive Steuern.',
  rate: (from, to) => `1 ${from} = ${to}, wird beim Fortfahren festgelegt.`,
  rateLocked: (from, to) => `1 ${from} = ${to}, für diese Zahlung festgelegt.`,
  continue: (money) => `Weiter mit ${money}`,
  goOn: 'Weiter',
  eurPaused: 'Zahlungen in Euro sind derzeit nicht möglich. Sie können in US-Dollar bezahlen.',

  card: 'Karte',
  cardsLoading: 'Ihre Karten werden geladen…',
  cardExpires: (date) => `gültig bis ${date}`,
  cardPay: (money, card) => `${money} mit ${card} bezahlen`,
  cardOther: 'Andere Zahlungsart',
  cardSave: 'Karte für später speichern',
  setLimits: 'Limits setzen',
  cardRemove: 'Entfernen',
  cardRemoveText: (card) => `${card} entfernen? Sie können sie beim Bezahlen erneut speichern.`,
  cardRemoveTopUp: 'Das automatische Aufladen nutzt diese Karte und wird ausgeschaltet.',
  cardKeep: 'Behalten',
  cardGone: 'Diese Karte wurde entfernt. Bitte wählen Sie eine andere.',
  cardPasskey:
    'Sie bestätigen Änderungen mit einem Passkey. Bezahlen Sie auf andere Weise oder kaufen Sie Credits in Ihrem Konto.',
  bankTitle: 'Ihre Bank bittet um Bestätigung',
  bankText: 'Ihre Seite öffnet sich hier. Nach der Bestätigung werden Ihre Credits gutgeschrieben.',
  bankOpen: 'Weiter zu Ihrer Bank',

  paymentTitle: 'Zahlung',
  paymentFrame: 'Zahlungsformular',
  paymentLoading: 'Das Zahlungsformular wird geladen…',
  hostedText: 'Die Zahlung wird in einem neuen Tab geöffnet. Kehren Sie danach hierher zurück.',
  hostedOpen: 'Zahlung öffnen',
  hostedAgain: 'Zahlung erneut öffnen',
  manualText: 'Schließen Sie die Zahlung in der App ab. Diese Seite wird automatisch aktualisiert.',
  waiting: 'Warten auf Ihre Zahlung…',
  leaveTitle: 'Bezahlvorgang verlassen?',
  leaveText:
    'Die Zahlung ist noch nicht abgeschlossen. Falls Sie bereits bezahlt haben, werden Ihre Credits trotzdem gutgeschrieben.',
  leave: 'Verlassen',
  stay: 'Zahlung fortsetzen',

  confirming: 'Ihre Zahlung wird bestätigt…',
  processingTitle: 'Ihre Bank bearbeitet die Zahlung',
  processingText:
    'Das kann einige Tage dauern. Sie können dieses Fenster schließen: Danach schreiben wir Ihre Credits gut und senden Ihnen eine Quittung per E-Mail.',
  close: 'Schließen',
  confirmingSlow:
    'Das dauert länger als üblich. Sie können dieses Fenster schließen: Ihre Credits werden automatisch gutgeschrieben.',
  successTitle: (credits) => `${credits} Credits gutgeschrieben`,
  successText: (app) => `Sie können sie in ${app} sofort nutzen.`,
  successLater: (app) => `${app} kann sie noch nicht nutzen.`,
  successDebt: (app) =>
    `Sie decken Credits, die vor einer Erstattung ausgegeben wurden. ${app} kann keine nutzen.`,
  newBalance: 'Neues Guthaben',
  paid: 'Bezahlt',
  receipt: 'Quittung',
  receiptOpen: 'Quittung ansehen',
  invoice: 'Rechnung',
  invoiceGet: 'Rechnung erhalten',
  receiptMailed: 'Sie erhalten sie auch per E-Mail.',
  optIn: (app) => `Auch anderswo gekaufte Credits für ${app} freigeben`,
  optInHint: (credits) => `Sie haben ${credits} davon. Ohne Häkchen bleiben sie unangetastet.`,
  optInSave: (credits) => `Bis zu ${credits} freigeben und fertig`,
  failedTitle: 'Die Zahlung ist fehlgeschlagen',
  failedText: 'Versuchen Sie es mit einer anderen Karte. Es wurde nichts abgebucht.',
  failures: {
    insufficient_funds: 'Ihre Karte ist nicht ausreichend gedeckt.',
    expired_card: 'Ihre Karte ist abgelaufen.',
    wrong_security_code: 'Die Prüfnummer Ihrer Karte ist nicht korrekt.',
    wrong_number: 'Ihre Kartennummer ist nicht korrekt.',
    card_limit: 'Das Limit Ihrer Karte ist erreicht.',
    not_confirmed: 'Ihre Bank hat eine Bestätigung verlangt, die nicht erfolgt ist.',
    try_later: 'Ihre Bank konnte die Zahlung gerade nicht verarbeiten.',
    declined: 'Ihre Bank hat die Zahlung abgelehnt.',
    unknown_card: 'Diese Karte ist nicht mehr gespeichert.',
    no_tax_address:
      'Für die Steuer brauchen wir Ihre Adresse. Bezahlen Sie einmal mit dem Formular, um sie einzugeben.',
  },
  wrongPaymentTitle: 'Diese Zahlung muss geprüft werden',
  wrongPaymentText:
    'Der eingegangene Betrag stimmt nicht mit der Bestellung überein, daher wurden keine Credits gutgeschrieben. Bitte wenden Sie sich an den Support.',
  expiredTitle: 'Die Zahlung ist abgelaufen',
  expiredText: 'Sie wurde nicht rechtzeitig abgeschlossen. Es wurde nichts abgebucht.',
  chooseAgain: 'Betrag wählen',

  returnPaid: (credits) => `${credits} Credits gutgeschrieben`,
  returnPaidText: (app) => `Sie können diesen Tab schließen und zu ${app} zurückkehren.`,
  returnTitle: 'Vielen Dank',
  returnText:
    'Sie können diesen Tab schließen und zur App zurückkehren. Dort erscheinen Ihre Credits, sobald die Zahlung bestätigt ist.',
  cancelTitle: 'Zahlung abgebrochen',
  cancelText: 'Es wurde nichts abgebucht. Sie können diesen Tab schließen und zur App zurückkehren.',

  wrong: 'Etwas ist schiefgegangen. Bitte versuchen Sie es erneut.',
  paymentsUnavailable: 'Zahlungen sind derzeit nicht möglich. Der Betreiber wurde benachrichtigt.',
  purchasesBlocked:
    'Mit diesem Konto können Sie keine Credits kaufen. Vorhandene Credits funktionieren weiter. Bitte wenden Sie sich an den Support.',
  offline: 'Keine Verbindung. Bitte versuchen Sie es erneut.',
  tooMany: (seconds) => `Zu viele Versuche. Versuchen Sie es in ${describeWait(seconds, 'de')} erneut.`,
  keyFailed: 'Die App hat Ihre Anmeldung nicht erhalten. Bitte versuchen Sie es erneut.',
};

const CATALOGUE: Record<Language, Messages> = { en, de };

/** No line of a sentence ends after the hyphen of "e-mail". */
function keepTogether<Value>(value: Value): Value;
function keepTogether(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes(' ') ? value.replace(/\b(e-)(?=mail)/gi, '$1\u2060') : value;
  if (typeof value === 'function') return (...given: unknown[]) => keepTogether(value(...given));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, keepTogether(text)]));
}

const SHOWN = keepTogether(CATALOGUE);

export const messagesFor = (language: Language): Messages => SHOWN[language];
