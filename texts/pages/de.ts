import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  signIn: {
    pageTitle: 'Anmelden',
    title: 'Bei {brand} anmelden',
    text: 'Wir senden Ihnen einen Code. Wenn Sie neu sind, wird damit Ihr Konto erstellt.',
    invited: 'Sie sind in ein Team eingeladen. Melden Sie sich als {email} an, um zu antworten.',
    passkey: 'Mit einem Passkey anmelden',
    issuerTitle: 'Weiter mit {issuer}',
    issuerText:
      'Sie sind als {email} angemeldet. Diese Seiten öffnen sich nur nach einer Anmeldung mit {issuer}.',
    passkeyTitle: 'Nutzen Sie Ihren Passkey',
    passkeyText: 'Sie sind als {email} angemeldet. Für diese Seiten genügt ein Code nicht.',
    passkeyUse: 'Passkey nutzen',
    passkeyFailures: {
      unsupported:
        'Dieser Browser kann unter dieser Adresse keine Passkeys nutzen. Verwenden Sie einen Code.',
      cancelled:
        'Es wurde kein Passkey genutzt: Die Anfrage wurde abgebrochen, oder dieses Gerät hat keinen. Bitte versuchen Sie es erneut.',
      failed: 'Der Passkey konnte auf diesem Gerät nicht genutzt werden.',
      refused:
        'Dieser Passkey wurde nicht akzeptiert. Versuchen Sie es erneut oder verwenden Sie einen Code.',
    },
  },
  presence: {
    title: 'Bestätigen Sie, dass Sie es sind',
    text: 'Manche Änderungen erfordern eine aktuelle Bestätigung. Ihre Eingaben gehen nicht verloren.',
    sent: 'Wir haben einen Code an Ihre E-Mail-Adresse gesendet. Er gilt 10 Minuten, ebenso Ihre Bestätigung.',
    confirm: 'Bestätigen',
    wait: 'Einen Moment…',
    passkey: 'Passkey nutzen',
    passkeyRequired:
      'Sie sind Betreiber oder Eigentümer einer App, daher genügt ein Code nicht. Wenn Sie das Gerät verloren haben, kann ein Betreiber Ihre Passkeys entfernen.',
    codeInstead: 'Stattdessen einen Code senden',
  },
  deadLink: {
    title: 'Dieser Link funktioniert nicht',
    account: 'Ihrem Konto',
    continue:
      'Er ist unvollständig oder älter als eine Stunde. Credits kaufen und Freigaben festlegen können Sie in {account}.',
    stop: 'Er ist unvollständig oder älter als 30 Tage. Apps stoppen können Sie in {account}.',
    revoke: 'Er ist unvollständig oder älter als 30 Tage. Schlüssel widerrufen können Sie in {account}.',
    undo: 'Er ist unvollständig, wurde bereits verwendet oder ist älter als 7 Tage. Die Adresse ändern können Sie in {account}.',
    unsubscribe: 'Er ist unvollständig. Welche E-Mails Sie erhalten, wählen Sie in {account}.',
  },
  continue: {
    pageTitle: 'Weiter',
    title: 'Dieser Link ist für ein anderes Konto',
    text: 'Ihr Terminal oder Ihre App nutzt ein anderes Konto als das, mit dem Sie hier angemeldet sind. Melden Sie sich ab, öffnen Sie den Link erneut und melden Sie sich mit dem anderen Konto an.',
    signedInAs: 'Angemeldet als',
  },
  stop: {
    pageTitle: 'Apps stoppen',
    askApp: '{app} stoppen?',
    askThisApp: 'Diese App stoppen?',
    askAll: 'Alle Apps stoppen?',
    appStopped: '{app} ist gestoppt',
    thisAppStopped: 'Diese App ist gestoppt',
    allStopped: 'Alle Apps sind gestoppt',
    askAppText:
      'Ab der nächsten Anfrage kann sie Ihre Credits nicht mehr ausgeben, und laufende Anfragen enden. Ihr Guthaben, Ihre Freigaben und Limits bleiben unverändert, und Sie können sie jederzeit fortsetzen.',
    askAllText:
      'Ab der nächsten Anfrage kann keine App Ihre Credits ausgeben, und laufende Anfragen enden. Ihr Guthaben, Ihre Freigaben und Limits bleiben unverändert, und Sie können jederzeit fortsetzen.',
    appStoppedText: 'Sie kann Ihre Credits nicht ausgeben; andere Apps können es.',
    allStoppedText: 'Keine App kann Ihre Credits ausgeben.',
    resume: 'Fortsetzen können Sie in Ihrem Konto, wo Sie bestätigen, dass Sie es sind.',
    stopApp: 'Diese App stoppen',
    stopAll: 'Alle Apps stoppen',
    limits: 'Limits anzeigen',
    expired: 'Dieser Link ist abgelaufen. Melden Sie sich in Ihrem Konto an, um Apps zu stoppen.',
  },
  revoke: {
    pageTitle: 'Schlüssel widerrufen',
    ask: 'Diesen Schlüssel widerrufen?',
    revoked: 'Schlüssel widerrufen',
    askText:
      '{app} kann ab der nächsten Anfrage keine Credits mehr damit ausgeben. Das lässt sich nicht rückgängig machen. Eine neue Anmeldung dort erstellt einen neuen Schlüssel.',
    askThisText:
      'Die App kann ab der nächsten Anfrage keine Credits mehr damit ausgeben. Das lässt sich nicht rückgängig machen. Eine neue Anmeldung dort erstellt einen neuen Schlüssel.',
    revokedText: 'Der Schlüssel, der auf {last4} endet, funktioniert nicht mehr.',
    app: 'App',
    key: 'Schlüssel',
    revoke: 'Schlüssel widerrufen',
    activity: 'Aktivität anzeigen',
    expired: 'Dieser Link ist abgelaufen. Melden Sie sich in Ihrem Konto an, um den Schlüssel zu widerrufen.',
  },
  undo: {
    pageTitle: 'Änderung rückgängig machen',
    ask: 'Änderung rückgängig machen?',
    undone: 'Änderung rückgängig gemacht',
    askText:
      'Ihr Konto erhält die Adresse {email} zurück. Alle Geräte werden abgemeldet, und seit der Änderung hinzugefügte Passkeys und Schlüssel werden entfernt.',
    undoneText: 'Ihr Konto hat wieder die Adresse {email}. Alle Geräte sind abgemeldet.',
    undo: 'Rückgängig machen',
    expired: 'Dieser Link ist abgelaufen oder wurde bereits verwendet. Wenden Sie sich an den Dienst.',
  },
  unsubscribe: {
    pageTitle: 'Abbestellen',
    ask: 'E-Mails abbestellen?',
    ended: 'E-Mails abbestellt',
    askText: {
      limits: 'Sie erhalten dann keine E-Mails mehr bei 50, 80 und 100 % Ihrer Limits und Credits.',
      unusual: 'Sie erhalten dann keine E-Mails mehr über ungewöhnliche Ausgaben.',
      weekly: 'Sie erhalten dann keine Wochenübersicht mehr.',
      alerts: 'Sie erhalten dann keine Warnungen mehr zu den Apps Ihres Teams.',
    },
    endedText: {
      limits: 'Sie erhalten keine E-Mails mehr bei 50, 80 und 100 % Ihrer Limits und Credits.',
      unusual: 'Sie erhalten keine E-Mails mehr über ungewöhnliche Ausgaben.',
      weekly: 'Sie erhalten keine Wochenübersicht mehr.',
      alerts: 'Sie erhalten keine Warnungen mehr zu den Apps Ihres Teams.',
    },
    again: 'Sie können sie jederzeit in Ihrem Konto wieder einschalten.',
    againForTeam: 'Sie können sie jederzeit auf der Team-Seite einer App wieder einschalten.',
    unsubscribe: 'Abbestellen',
    dashboard: 'Partner-Dashboard öffnen',
    choose: 'E-Mails auswählen',
    expired: 'Dieser Link funktioniert nicht. Schalten Sie die E-Mails in Ihrem Konto aus.',
  },
  device: {
    pageTitle: 'Gerät verbinden',
    title: 'Gerät verbinden',
    enter: 'Geben Sie den Code ein, den Ihr Terminal oder Gerät anzeigt.',
    check: 'Prüfen Sie, ob Ihr Terminal oder Gerät genau diesen Code anzeigt.',
    warning:
      'Fahren Sie nur fort, wenn Sie dies selbst begonnen haben. Wir senden niemandem einen Code oder einen Link zu dieser Seite.',
    notWaiting:
      'Kein Gerät wartet auf diesen Code. Prüfen Sie ihn oder beginnen Sie auf dem Gerät erneut, um einen neuen zu erhalten.',
    ask: '{app} verbinden?',
    askText:
      'Das Gerät, das diesen Code anzeigt, erhält einen Schlüssel, um Credits auszugeben, die Sie in {app} kaufen oder dafür freigeben. Es sieht weder Ihre E-Mail-Adresse noch Ihre anderen Apps.',
    code: 'Code auf dem Gerät',
    started: 'Begonnen',
    signedInAs: 'Angemeldet als',
    elsewhere: 'Der Vorgang wurde in einem anderen Netzwerk als Ihrem begonnen.',
    ownDevice:
      'Ist es ein Gerät vor Ihnen oder Ihr eigener Server? Wenn Ihnen jemand den Code geschickt hat, lehnen Sie ab: Diese Person würde den Schlüssel erhalten.',
    connect: 'Gerät verbinden',
    refuse: 'Ablehnen',
    connected: 'Gerät verbunden',
    connectedText:
      'Kehren Sie zu Ihrem Gerät zurück: {app} macht dort in wenigen Sekunden weiter. Sie können das Gerät jederzeit in Ihrem Konto abmelden.',
    devices: 'Geräte anzeigen',
    refused: 'Abgelehnt',
    refusedText: 'Das Gerät erhält keinen Schlüssel. Sie können diese Seite schließen.',
    account: 'Konto öffnen',
  },
  redeem: {
    pageTitle: 'Geschenk einlösen',
    gift: {
      one: 'Ein Geschenk für Sie: {count} Bonus-Credit',
      other: 'Ein Geschenk für Sie: {count} Bonus-Credits',
    },
    added: { one: '{count} Bonus-Credit gutgeschrieben', other: '{count} Bonus-Credits gutgeschrieben' },
    giftText: 'Sie können sie in {app} nutzen. Es kostet nichts.',
    giftTextAnyApp: 'Sie können sie in jeder App nutzen, der Sie es erlauben. Es kostet nichts.',
    addedText: 'Sie können sie jetzt in {app} nutzen.',
    addedTextAnyApp: 'Sie können sie in jeder App nutzen, der Sie es erlauben.',
    account: 'Konto',
    accept: { one: '{count} Credit annehmen', other: '{count} Credits annehmen' },
    credits: 'Guthaben anzeigen',
    impossible: 'Dieses Geschenk kann nicht eingelöst werden',
    signedInAs: 'Sie sind als {email} angemeldet.',
    openAccount: 'Konto öffnen',
  },
  authorize: {
    pageTitle: 'Anmelden',
    title: 'Bei {app} anmelden',
    text: '{app} erhält einen Schlüssel, um Credits auszugeben, die Sie dort kaufen oder dafür freigeben. Die App sieht weder Ihre E-Mail-Adresse noch Ihre anderen Apps.',
    signedInAs: 'Angemeldet als',
    returnTo: 'Sie kehren zurück zu',
    cancel: 'Abbrechen',
    impossible: 'Die Anmeldung kann nicht fortgesetzt werden',
    impossibleText: 'Die App, die Sie hierher geleitet hat, hat eine ungültige Anfrage gestellt:',
  },
};
