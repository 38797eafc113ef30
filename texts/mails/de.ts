import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} Credit', other: '{count} Credits' },
  less: 'weniger als {amount}',
  buyCredits: 'Credits kaufen',
  showActivity: 'Aktivität anzeigen',
  links: {
    stop: 'Allen Apps das Ausgeben meiner Credits verbieten',
    stopApp: 'Dieser App oder allen Apps das Ausgeben meiner Credits verbieten',
    unsubscribe: 'Diese E-Mails abbestellen',
  },
  goods: { one: '{count} {brand} Credit', other: '{count} {brand} Credits' },
  bonusGoods: { one: '{count} Bonus-Credit', other: '{count} Bonus-Credits' },
  receipt: {
    pageTitle: 'Quittung',
    title: 'Ihre Quittung von {brand}: {paid}',
    intro: 'Vielen Dank. Ihre Zahlung ist abgeschlossen: {credits} für {app}.',
    topUpTitle: 'Ihre automatische Aufladung: {paid}',
    topUpIntro: {
      one: 'Ihr Guthaben ging zur Neige, daher wurde {count} Credit mit Ihrer gespeicherten Karte gekauft. Apps geben ihn im Rahmen der Freigabe aus, die Sie ihnen erteilen. In Ihrem Konto können Sie die automatische Aufladung unter „Billing“ ändern oder ausschalten.',
      other:
        'Ihr Guthaben ging zur Neige, daher wurden {count} Credits mit Ihrer gespeicherten Karte gekauft. Apps geben sie im Rahmen der Freigabe aus, die Sie ihnen erteilen. In Ihrem Konto können Sie die automatische Aufladung unter „Billing“ ändern oder ausschalten.',
    },
    unnamedApp: 'eine App mit {brand}',
    autoTopUp: 'Automatische Aufladung',
    number: 'Quittung',
    date: 'Datum',
    app: 'Gekauft in',
    buyer: 'Konto',
    credits: 'Guthaben',
    bonus: 'Bonus-Credits (Code {code})',
    rate: 'Wechselkurs',
    paid: 'Bezahlt',
    tax: 'Enthaltene Steuer',
    refunded: 'Erstattet',
    link: 'Quittung öffnen oder drucken',
    invoiceLink: 'Ihre Rechnung',
    back: 'Konto',
    print: 'Drucken',
    printNote: 'Credits verfallen nicht. 100 Credits entsprechen 1 US-Dollar an Nutzung.',
    statuses: {
      paid: 'Bezahlt',
      partly_refunded: 'Teilweise erstattet',
      refunded: 'Erstattet',
      disputed: 'Angefochten',
    },
    note: 'Sie erhalten diese E-Mail, weil Sie mit Ihrem Konto bei {brand} Credits gekauft haben.',
    documents: {
      invoice: 'Rechnung',
      credit_note: 'Rechnungskorrektur',
      cancellation: 'Storno',
    },
    createInvoice: 'Rechnung erstellen',
    billingDetails: 'Rechnungsangaben',
    enterDetails: 'Rechnungsangaben für eine Rechnung eingeben',
    invoiceFailed: 'Die Rechnung konnte nicht erstellt werden. Bitte versuchen Sie es erneut.',
  },
  login: {
    subject: '{code} ist Ihr Code für {name}',
    reason: '{app} hat diesen Code angefordert, damit Sie sich mit Ihrem Konto bei {brand} anmelden können.',
    reasonUnnamed:
      'Eine App, die {brand} nutzt, hat diesen Code angefordert, damit Sie sich mit Ihrem Konto bei {brand} anmelden können.',
    life: 'Er ist 10 Minuten gültig und kann nur einmal verwendet werden.',
    never: 'Wir fragen Sie nie nach diesem Code, weder am Telefon noch im Chat oder per E-Mail.',
    ignore: 'Wenn Sie sich nicht anmelden wollten, können Sie diese E-Mail ignorieren.',
    allowanceSubject: {
      one: '{code} erlaubt {app}, bis zu {count} Ihrer Credits auszugeben',
      other: '{code} erlaubt {app}, bis zu {count} Ihrer Credits auszugeben',
    },
    allowanceSubjectUnnamed: {
      one: '{code} erlaubt einer App, bis zu {count} Ihrer Credits auszugeben',
      other: '{code} erlaubt einer App, bis zu {count} Ihrer Credits auszugeben',
    },
    allowanceReason: {
      one: 'Geben Sie diesen Code nur ein, wenn {app} bis zu {count} Credit ausgeben darf, den Sie anderswo gekauft haben.',
      other:
        'Geben Sie diesen Code nur ein, wenn {app} bis zu {count} Credits ausgeben darf, die Sie anderswo gekauft haben.',
    },
    allowanceReasonUnnamed: {
      one: 'Geben Sie diesen Code nur ein, wenn die App, die Sie danach fragt, bis zu {count} Credit ausgeben darf, den Sie anderswo gekauft haben.',
      other:
        'Geben Sie diesen Code nur ein, wenn die App, die Sie danach fragt, bis zu {count} Credits ausgeben darf, die Sie anderswo gekauft haben.',
    },
    allowanceIgnore:
      'Wenn Sie das nicht möchten, ignorieren Sie diese E-Mail. Ohne den Code ändert sich nichts.',
    changeSubject: '{code} bestätigt eine Änderung in Ihrem Konto bei {brand}',
    changeReason:
      'Jemand, der in Ihrem Konto bei {brand} angemeldet ist, will dort etwas ändern. Dieser Code bestätigt die Änderung; er meldet niemanden an.',
    changeNever:
      'Geben Sie ihn nur auf der Seite ein, auf der Sie die Änderung vornehmen. Wir fragen Sie nie danach, weder am Telefon noch im Chat oder per E-Mail.',
    changeIgnore:
      'Wenn Sie das nicht waren, geben Sie den Code nicht weiter. Melden Sie sich bei {brand} an und melden Sie Ihre anderen Geräte ab.',
    newEmailSubject: '{code} bestätigt diese E-Mail-Adresse für {brand}',
    newEmailReason:
      'Jemand möchte diese E-Mail-Adresse für sein Konto bei {brand} verwenden. Dieser Code bestätigt, dass sie ihm gehört; er meldet niemanden an.',
    newEmailIgnore:
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Code ändert sich nichts.',
    oldEmailSubject: '{code} ändert die E-Mail-Adresse Ihres Kontos bei {brand}',
    oldEmailReason:
      'Jemand, der in Ihrem Konto bei {brand} angemeldet ist, möchte dessen E-Mail-Adresse in {email} ändern. Danach können Sie sich mit dieser Adresse nicht mehr anmelden.',
  },
  wrongCodes: {
    subject: 'Falsche Anmeldecodes für Ihr Konto bei {brand}',
    text: 'Für Ihr Konto wurden {number} falsche Anmeldecodes eingegeben, in Browsern oder Apps, die wir nicht kennen. Die Codes wurden zwischen {from} und {to} angefordert. Ein falscher Code gewährt keinen Zugriff.',
    mistyped: 'Wenn Sie sich bei einem Code vertippt haben, können Sie diese E-Mail ignorieren.',
    safe: 'Wenn Sie das nicht waren, ist Ihr Konto trotzdem sicher: Codes werden nur an diese E-Mail-Adresse gesendet. Geben Sie niemals einen weiter. Sie können Ihr Konto weiter nutzen, und in einem Browser, in dem Sie sich schon einmal angemeldet haben, betreffen Sie solche Versuche nicht.',
    devices:
      'Öffnen Sie zur Sicherheit „Devices“ in Ihrem Konto und melden Sie Geräte ab, die Sie nicht kennen.',
  },
  lowBalance: {
    subject: 'Ihr Guthaben bei {brand} geht zur Neige',
    text: {
      one: 'Sie haben noch {count} Credit, weniger als die {threshold}, bei denen Sie benachrichtigt werden möchten. Wenn Ihr Guthaben aufgebraucht ist, können Apps keine Anfragen mehr für Sie senden.',
      other:
        'Sie haben noch {count} Credits, weniger als die {threshold}, bei denen Sie benachrichtigt werden möchten. Wenn sie aufgebraucht sind, können Apps keine Anfragen mehr für Sie senden.',
    },
    note: 'Wir senden diese E-Mail höchstens einmal am Tag und erst wieder, nachdem Ihr Guthaben über dieser Zahl lag.',
    change: 'Diese E-Mail ändern oder ausschalten',
  },
  topUp: {
    confirmSubject: 'Bestätigen Sie Ihre Aufladung über {amount}',
    confirmText:
      'Ihr Guthaben geht zur Neige. Ihre Bank bittet Sie, die Zahlung von {amount} mit Ihrer {card} zu bestätigen, bevor sie ausgeführt wird.',
    confirmUntil:
      'Bestätigen Sie sie bis {time}. Andernfalls wird die Zahlung abgebrochen und die automatische Aufladung ausgeschaltet.',
    confirm: 'Zahlung bestätigen',
    because:
      'Sie erhalten diese E-Mail, weil Sie in Ihrem Konto bei {brand} die automatische Aufladung eingeschaltet haben.',
    usedUp: 'Apps können keine Anfragen mehr für Sie senden, wenn Ihr Guthaben aufgebraucht ist.',
    review: 'Automatische Aufladung prüfen',
    titles: {
      declined: 'Automatische Aufladung ausgeschaltet: Ihre Bank hat die Zahlung abgelehnt',
      unknown_card: 'Automatische Aufladung ausgeschaltet: Die Karte wurde entfernt',
      expired_card: 'Automatische Aufladung ausgeschaltet: Ihre Karte ist abgelaufen',
      insufficient_funds: 'Automatische Aufladung ausgeschaltet: Ihre Karte ist nicht ausreichend gedeckt',
      no_tax_address: 'Automatische Aufladung ausgeschaltet: Ihre Rechnungsadresse fehlt',
      not_allowed: 'Automatische Aufladung ausgeschaltet: Ihre Bank hat sie nicht erlaubt',
      not_confirmed: 'Automatische Aufladung ausgeschaltet: Die Zahlung wurde nicht bestätigt',
      reversed: 'Automatische Aufladung ausgeschaltet: Eine Zahlung wurde zurückgebucht',
      user: 'Automatische Aufladung ausgeschaltet: Sie haben sie ausgeschaltet',
    },
    user: 'Ihr Guthaben wird nicht automatisch aufgeladen.',
    notAllowed:
      'Ihre Bank erlaubt keine automatischen Zahlungen mit Ihrer {card}. Wählen Sie eine andere Karte oder wenden Sie sich an Ihre Bank.',
    unknownCard:
      'Ihre {card} ist nicht mehr gespeichert. Schalten Sie die automatische Aufladung mit einer anderen Karte ein, um fortzufahren.',
    reversed:
      'Eine Zahlung wurde erstattet oder angefochten, daher erfolgt keine weitere Zahlung. Sie können das automatische Aufladen jederzeit wieder einschalten.',
    noTaxAddress:
      'Die Steuer für die Zahlung von {amount} mit Ihrer {card} konnte nicht berechnet werden. Kaufen Sie einmal Credits und geben Sie Ihre Adresse ein, dann schalten Sie die automatische Aufladung wieder ein.',
    notConfirmed:
      'Sie haben die Zahlung von {amount} mit Ihrer {card} nicht rechtzeitig bestätigt, daher wurde sie abgebrochen. Es wurde nichts abgebucht.',
    declinedByCard:
      'Ihre Bank hat die Zahlung von {amount} mit Ihrer {card} abgelehnt. Es wurde nichts abgebucht. Schalten Sie die automatische Aufladung wieder ein oder wählen Sie eine andere Karte, um fortzufahren.',
    declined:
      'Ihre Bank hat die Zahlung von {amount} mit Ihrer {card} abgelehnt und keinen Grund genannt, den wir anzeigen können. Es wurde nichts abgebucht. Wählen Sie eine andere Karte oder wenden Sie sich an Ihre Bank, dann schalten Sie die automatische Aufladung wieder ein.',
  },
  correction: {
    subject: { one: 'Wir haben {count} Credit erstattet', other: 'Wir haben {count} Credits erstattet' },
    text: {
      one: 'Wir haben für eine Ihrer Anfragen zu viel berechnet und Ihrem Konto {credits} gutgeschrieben.',
      other:
        'Wir haben für {count} Ihrer Anfragen zu viel berechnet und Ihrem Konto {credits} gutgeschrieben.',
    },
    reason: 'Grund: {reason}',
    link: 'Anfragen anzeigen',
    note: 'Jeder Beleg zeigt die Erstattung durch {brand}. Sie müssen nichts tun.',
  },
  warning: {
    because: {
      limits:
        'Sie erhalten diese E-Mail, weil Sie von {brand} E-Mails bei 50, 80 und 100 % Ihrer Limits und Ihrer gekauften Credits wünschen.',
      unusual:
        'Sie erhalten diese E-Mail, weil Sie von {brand} E-Mails über ungewöhnliche Ausgaben wünschen, höchstens einmal am Tag.',
      weekly:
        'Sie erhalten diese E-Mail, weil Sie von {brand} eine Übersicht über jede Woche wünschen, in der Sie eine App genutzt haben.',
    },
    choose: 'E-Mails auswählen',
    showLimits: 'Limits anzeigen',
    anApp: 'eine App',
    limit: {
      day: {
        app: 'Ihr Limit pro Tag für {app}',
        all: 'Ihr Limit pro Tag für alle Apps',
        partner: 'das von {app} gesetzte Limit pro Tag',
      },
      week: {
        app: 'Ihr Limit pro Woche für {app}',
        all: 'Ihr Limit pro Woche für alle Apps',
        partner: 'das von {app} gesetzte Limit pro Woche',
      },
      month: {
        app: 'Ihr Limit pro Monat für {app}',
        all: 'Ihr Limit pro Monat für alle Apps',
        partner: 'das von {app} gesetzte Limit pro Monat',
      },
    },
    limitReached: 'Sie haben {limit} erreicht',
    limitUsed: '{percent} verbraucht: {limit}',
    limitSpent: {
      one: 'Sie haben {used} von {count} Credit ausgegeben ({limit}).',
      other: 'Sie haben {used} von {count} Credits ausgegeben ({limit}).',
    },
    tooSmall: 'Der Rest reicht nicht für eine weitere Anfrage.',
    resets: 'Das Limit beginnt neu am {time}.',
    refusedOwn: 'Anfragen werden abgelehnt, bis das Limit am {time} neu beginnt oder Sie es erhöhen.',
    refusedOfApp:
      'Anfragen werden abgelehnt, bis das Limit am {time} neu beginnt. Nur die App kann es ändern.',
    usedUp: 'Ihr Guthaben ist aufgebraucht',
    usedUpText:
      'Der Rest reicht nicht für eine weitere Anfrage, daher können Apps keine mehr für Sie senden.',
    spentPercent: 'Sie haben {percent} Ihres Guthabens ausgegeben',
    sincePurchase: {
      one: 'Seit Ihrem letzten Kauf am {date} haben Sie {used} von {count} Credit ausgegeben, den Sie damals hatten.',
      other:
        'Seit Ihrem letzten Kauf am {date} haben Sie {used} der {count} Credits ausgegeben, die Sie damals hatten.',
    },
    left: { one: 'Sie haben noch {count} Credit.', other: 'Sie haben noch {count} Credits.' },
    unusualSubject: {
      one: 'Sie haben heute {count} Credit ausgegeben',
      other: 'Sie haben heute {count} Credits ausgegeben',
    },
    unusualText: {
      one: 'Sie haben heute {count} Credit ausgegeben; an den meisten Tagen geben Sie {usual} aus.',
      other: 'Sie haben heute {count} Credits ausgegeben; an den meisten Tagen geben Sie {usual} aus.',
    },
    unusualRange: '{from} bis {to}',
    unusualDay:
      'Heute ist der {date} (UTC). Wir haben ihn mit den Tagen der letzten vier Wochen verglichen, an denen Sie eine App genutzt haben.',
    unusualAdvice:
      'Wenn Sie das waren, müssen Sie nichts tun. Andernfalls stoppen Sie alle Apps mit dem Link unten und widerrufen Sie die Schlüssel von Apps, die Sie nicht kennen.',
    weekSubject: {
      one: 'Ihre Woche: {count} Credit ausgegeben',
      other: 'Ihre Woche: {count} Credits ausgegeben',
    },
    weekText: {
      one: 'Vom {from} bis {to} haben Sie {count} Credit ausgegeben ({comparison}).',
      other: 'Vom {from} bis {to} haben Sie {count} Credits ausgegeben ({comparison}).',
    },
    weekApp: { one: '{app}: {count} Credit ({comparison})', other: '{app}: {count} Credits ({comparison})' },
    nothingBefore: 'in der Woche davor nichts',
    sameAsBefore: 'so viel wie in der Woche davor',
    moreThanBefore: '{amount} mehr als in der Woche davor',
    fewerThanBefore: '{amount} weniger als in der Woche davor',
    unnamedApps: 'Apps, deren Namen nicht freigegeben sind',
    unnamedApp: 'Eine App, deren Name nicht freigegeben ist,',
    willRaise: '{app} erhöht die Provision am {date} (UTC) von {from} auf {to}.',
    raised: '{app} hat die Provision am {date} (UTC) von {from} auf {to} erhöht.',
  },
};
