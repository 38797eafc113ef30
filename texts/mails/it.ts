import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} credito', many: '{count} de crediti', other: '{count} crediti' },
  less: 'meno di {amount}',
  buyCredits: 'Acquista crediti',
  showActivity: 'Mostra la tua attività',
  links: {
    stop: 'Impedisci a tutte le app di spendere i miei crediti',
    stopApp: 'Impedisci a questa app, o a tutte, di spendere i miei crediti',
    unsubscribe: 'Annulla l’iscrizione a queste email',
  },
  goods: {
    one: '{count} credito {brand}',
    many: '{count} de crediti {brand}',
    other: '{count} crediti {brand}',
  },
  bonusGoods: {
    one: '{count} credito bonus',
    many: '{count} de crediti bonus',
    other: '{count} crediti bonus',
  },
  receipt: {
    pageTitle: 'Ricevuta',
    title: 'La tua ricevuta di {brand}: {paid}',
    intro: 'Grazie. Il pagamento è completo: {credits} per {app}.',
    topUpTitle: 'La tua ricarica automatica: {paid}',
    topUpIntro: {
      one: 'I tuoi crediti stavano per finire, quindi {count} credito è stato aggiunto con la carta salvata. Le app lo spendono entro l’autorizzazione che concedi a ciascuna. Puoi modificare o disattivare la ricarica automatica nel tuo account, in «Billing».',
      many: 'I tuoi crediti stavano per finire, quindi {count} de crediti sono stati aggiunti con la carta salvata. Le app li spendono entro l’autorizzazione che concedi a ciascuna. Puoi modificare o disattivare la ricarica automatica nel tuo account, in «Billing».',
      other:
        'I tuoi crediti stavano per finire, quindi {count} crediti sono stati aggiunti con la carta salvata. Le app li spendono entro l’autorizzazione che concedi a ciascuna. Puoi modificare o disattivare la ricarica automatica nel tuo account, in «Billing».',
    },
    unnamedApp: 'un’app che usa {brand}',
    autoTopUp: 'Ricarica automatica',
    number: 'Ricevuta',
    date: 'Data',
    app: 'Acquistato in',
    buyer: 'Account',
    credits: 'Crediti',
    bonus: 'Crediti bonus (codice {code})',
    rate: 'Tasso di cambio',
    paid: 'Pagato',
    tax: 'Imposte incluse',
    refunded: 'Rimborsato',
    link: 'Apri o stampa questa ricevuta',
    invoiceLink: 'La tua fattura',
    back: 'Account',
    print: 'Stampa',
    printNote: 'I crediti non scadono. 100 crediti equivalgono a 1 dollaro statunitense di utilizzo.',
    statuses: {
      paid: 'Pagato',
      partly_refunded: 'Rimborsato in parte',
      refunded: 'Rimborsato',
      disputed: 'Contestato',
    },
    note: 'Ricevi questa email perché hai acquistato crediti con il tuo account {brand}.',
    documents: {
      invoice: 'Fattura',
      credit_note: 'Nota di credito',
      cancellation: 'Annullamento',
    },
    createInvoice: 'Crea fattura',
    billingDetails: 'Dati di fatturazione',
    enterDetails: 'Inserisci i dati di fatturazione per una fattura',
    invoiceFailed: 'Impossibile creare la fattura. Riprova.',
  },
  login: {
    subject: '{code} è il tuo codice per {name}',
    reason: '{app} ha richiesto questo codice per consentirti di accedere con il tuo account {brand}.',
    reasonUnnamed:
      'Un’app che usa {brand} ha richiesto questo codice per consentirti di accedere con il tuo account {brand}.',
    life: 'Funziona una sola volta, entro i prossimi 10 minuti.',
    never: 'Non ti chiederemo mai questo codice per telefono, chat o email.',
    ignore: 'Se non l’hai richiesto, puoi ignorare questa email.',
    allowanceSubject: {
      one: '{code} consente a {app} di spendere fino a {count} dei tuoi crediti',
      many: '{code} consente a {app} di spendere fino a {count} dei tuoi crediti',
      other: '{code} consente a {app} di spendere fino a {count} dei tuoi crediti',
    },
    allowanceSubjectUnnamed: {
      one: '{code} consente a un’app di spendere fino a {count} dei tuoi crediti',
      many: '{code} consente a un’app di spendere fino a {count} dei tuoi crediti',
      other: '{code} consente a un’app di spendere fino a {count} dei tuoi crediti',
    },
    allowanceReason: {
      one: 'Inserisci questo codice solo se {app} può spendere fino a {count} credito che hai acquistato altrove.',
      many: 'Inserisci questo codice solo se {app} può spendere fino a {count} de crediti che hai acquistato altrove.',
      other:
        'Inserisci questo codice solo se {app} può spendere fino a {count} crediti che hai acquistato altrove.',
    },
    allowanceReasonUnnamed: {
      one: 'Inserisci questo codice solo se l’app che lo chiede può spendere fino a {count} credito che hai acquistato altrove.',
      many: 'Inserisci questo codice solo se l’app che lo chiede può spendere fino a {count} de crediti che hai acquistato altrove.',
      other:
        'Inserisci questo codice solo se l’app che lo chiede può spendere fino a {count} crediti che hai acquistato altrove.',
    },
    allowanceIgnore: 'Se non lo desideri, ignora questa email. Senza il codice non cambia nulla.',
    changeSubject: '{code} conferma una modifica nel tuo account {brand}',
    changeReason:
      'Qualcuno che ha effettuato l’accesso al tuo account {brand} sta per modificare qualcosa. Questo codice conferma la modifica; non consente di accedere.',
    changeNever:
      'Inseriscilo solo nella pagina in cui fai la modifica. Non te lo chiederemo mai per telefono, chat o email.',
    changeIgnore:
      'Se non eri tu, non comunicare il codice. Accedi a {brand} e disconnetti gli altri dispositivi.',
    newEmailSubject: '{code} conferma questo indirizzo email per {brand}',
    newEmailReason:
      'Qualcuno vuole usare questo indirizzo email per il proprio account {brand}. Questo codice conferma che gli appartiene; non consente di accedere.',
    newEmailIgnore: 'Se non eri tu, ignora questa email. Senza il codice non cambia nulla.',
    oldEmailSubject: '{code} cambia l’indirizzo email del tuo account {brand}',
    oldEmailReason:
      'Qualcuno che ha effettuato l’accesso al tuo account {brand} vuole cambiarne l’indirizzo email in {email}. Dopo, questo indirizzo non consentirà più di accedere.',
  },
  wrongCodes: {
    subject: 'Codici di accesso errati per il tuo account {brand}',
    text: 'Sono stati inseriti {number} codici di accesso errati per il tuo account, da browser o app che non riconosciamo. I codici sono stati richiesti tra il {from} e il {to}. Un codice errato non dà accesso.',
    mistyped: 'Se hai digitato male un codice, puoi ignorare questa email.',
    safe: 'Se non eri tu, il tuo account è comunque al sicuro: i codici vengono inviati solo a questo indirizzo email. Non darne mai uno a nessuno. Puoi continuare a usare il tuo account e, in un browser in cui hai già effettuato l’accesso, questi tentativi non ti riguardano.',
    devices: 'Per sicurezza, apri «Devices» nel tuo account e disconnetti i dispositivi che non conosci.',
  },
  lowBalance: {
    subject: 'I tuoi crediti {brand} stanno per finire',
    text: {
      one: 'Ti resta {count} credito, meno dei {threshold} per cui hai scelto di ricevere un avviso. Quando saranno esauriti, le app non potranno più inviare richieste per te.',
      many: 'Ti restano {count} de crediti, meno dei {threshold} per cui hai scelto di ricevere un avviso. Quando saranno esauriti, le app non potranno più inviare richieste per te.',
      other:
        'Ti restano {count} crediti, meno dei {threshold} per cui hai scelto di ricevere un avviso. Quando saranno esauriti, le app non potranno più inviare richieste per te.',
    },
    note: 'Inviamo questa email al massimo una volta al giorno e solo dopo che i tuoi crediti hanno di nuovo superato quel numero.',
    change: 'Modifica o disattiva questa email',
  },
  topUp: {
    confirmSubject: 'Conferma la tua ricarica di {amount}',
    confirmText:
      'I tuoi crediti stanno per finire. La tua banca ti chiede di confermare il pagamento di {amount} con la tua {card} prima di eseguirlo.',
    confirmUntil:
      'Confermalo entro il {time}. In caso contrario, il pagamento viene annullato e la ricarica automatica disattivata.',
    confirm: 'Conferma il pagamento',
    because: 'Ricevi questa email perché hai attivato la ricarica automatica nel tuo account {brand}.',
    usedUp: 'Quando i tuoi crediti saranno esauriti, le app non potranno più inviare richieste per te.',
    review: 'Verifica la ricarica automatica',
    titles: {
      declined: 'Ricarica automatica disattivata: la banca ha rifiutato il pagamento',
      unknown_card: 'Ricarica automatica disattivata: la carta è stata rimossa',
      expired_card: 'Ricarica automatica disattivata: la carta è scaduta',
      insufficient_funds: 'Ricarica automatica disattivata: fondi insufficienti sulla carta',
      no_tax_address: 'Ricarica automatica disattivata: manca l’indirizzo di fatturazione',
      not_allowed: 'Ricarica automatica disattivata: la banca non l’ha consentita',
      not_confirmed: 'Ricarica automatica disattivata: il pagamento non è stato confermato',
      reversed: 'Ricarica automatica disattivata: un pagamento è stato stornato',
      user: 'Ricarica automatica disattivata: l’hai disattivata tu',
    },
    user: 'I tuoi crediti non vengono ricaricati automaticamente.',
    notAllowed:
      'La tua banca non consente pagamenti automatici con la tua {card}. Scegli un’altra carta o contatta la banca.',
    unknownCard:
      'La tua {card} non è più salvata. Per continuare, attiva la ricarica automatica con un’altra carta.',
    reversed:
      'Un pagamento è stato rimborsato o contestato, quindi non verranno effettuati altri pagamenti. Puoi riattivare la ricarica automatica in qualsiasi momento.',
    noTaxAddress:
      'Non è stato possibile calcolare le imposte del pagamento di {amount} con la tua {card}. Acquista crediti una volta inserendo il tuo indirizzo, poi riattiva la ricarica automatica.',
    notConfirmed:
      'Non hai confermato in tempo il pagamento di {amount} con la tua {card}, quindi è stato annullato. Non ti è stato addebitato nulla.',
    declinedByCard:
      'La banca ha rifiutato il pagamento di {amount} con la tua {card}. Non ti è stato addebitato nulla. Per continuare, riattiva la ricarica automatica o scegli un’altra carta.',
    declined:
      'La banca ha rifiutato il pagamento di {amount} con la tua {card} senza fornire un motivo che possiamo mostrare. Non ti è stato addebitato nulla. Per continuare, scegli un’altra carta o contatta la banca, poi riattiva la ricarica automatica.',
  },
  correction: {
    subject: {
      one: 'Ti abbiamo rimborsato {count} credito',
      many: 'Ti abbiamo rimborsato {count} de crediti',
      other: 'Ti abbiamo rimborsato {count} crediti',
    },
    text: {
      one: 'Abbiamo addebitato troppo per una delle tue richieste e abbiamo restituito {credits} al tuo account.',
      many: 'Abbiamo addebitato troppo per {count} delle tue richieste e abbiamo restituito {credits} al tuo account.',
      other:
        'Abbiamo addebitato troppo per {count} delle tue richieste e abbiamo restituito {credits} al tuo account.',
    },
    reason: 'Motivo: {reason}',
    link: 'Mostra le richieste',
    note: 'Ogni ricevuta mostra il rimborso di {brand}. Non devi fare nulla.',
  },
  warning: {
    because: {
      limits:
        'Ricevi questa email perché hai chiesto a {brand} avvisi al 50, 80 e 100% dei tuoi limiti e di ciò che hai acquistato.',
      unusual:
        'Ricevi questa email perché hai chiesto a {brand} avvisi sulle spese insolite, al massimo una volta al giorno.',
      weekly:
        'Ricevi questa email perché hai chiesto a {brand} un riepilogo di ogni settimana in cui hai usato un’app.',
    },
    choose: 'Scegli quali email ricevere',
    showLimits: 'Mostra i tuoi limiti',
    anApp: 'un’app',
    limit: {
      day: {
        app: 'il tuo limite giornaliero per {app}',
        all: 'il tuo limite giornaliero per tutte le app',
        partner: 'il limite giornaliero fissato da {app}',
      },
      week: {
        app: 'il tuo limite settimanale per {app}',
        all: 'il tuo limite settimanale per tutte le app',
        partner: 'il limite settimanale fissato da {app}',
      },
      month: {
        app: 'il tuo limite mensile per {app}',
        all: 'il tuo limite mensile per tutte le app',
        partner: 'il limite mensile fissato da {app}',
      },
    },
    limitReached: 'Hai raggiunto {limit}',
    limitUsed: '{percent} usato: {limit}',
    limitSpent: {
      one: 'Hai speso {used} di {count} credito ({limit}).',
      many: 'Hai speso {used} di {count} de crediti ({limit}).',
      other: 'Hai speso {used} di {count} crediti ({limit}).',
    },
    tooSmall: 'L’importo rimanente non basta per un’altra richiesta.',
    resets: 'Si azzera il {time}.',
    refusedOwn:
      'Le richieste vengono rifiutate finché il limite non si azzera il {time} o finché non lo aumenti.',
    refusedOfApp:
      'Le richieste vengono rifiutate finché il limite non si azzera il {time}. Solo l’app può cambiarlo.',
    usedUp: 'I tuoi crediti sono esauriti',
    usedUpText:
      'L’importo rimanente non basta per un’altra richiesta, quindi le app non possono più inviarne per te.',
    spentPercent: 'Hai speso il {percent} dei tuoi crediti',
    sincePurchase: {
      one: 'Dall’ultimo acquisto del {date} hai speso {used} di {count} credito che avevi allora.',
      many: 'Dall’ultimo acquisto del {date} hai speso {used} dei {count} de crediti che avevi allora.',
      other: 'Dall’ultimo acquisto del {date} hai speso {used} dei {count} crediti che avevi allora.',
    },
    left: {
      one: 'Ti resta {count} credito.',
      many: 'Ti restano {count} de crediti.',
      other: 'Ti restano {count} crediti.',
    },
    unusualSubject: {
      one: 'Oggi hai speso {count} credito',
      many: 'Oggi hai speso {count} de crediti',
      other: 'Oggi hai speso {count} crediti',
    },
    unusualText: {
      one: 'Oggi hai speso {count} credito; quasi tutti i giorni spendi {usual}.',
      many: 'Oggi hai speso {count} de crediti; quasi tutti i giorni spendi {usual}.',
      other: 'Oggi hai speso {count} crediti; quasi tutti i giorni spendi {usual}.',
    },
    unusualRange: 'da {from} a {to}',
    unusualDay:
      'Oggi è il {date} (UTC). Lo abbiamo confrontato con i giorni delle ultime quattro settimane in cui hai usato un’app.',
    unusualAdvice:
      'Se eri tu, non devi fare nulla. Altrimenti, ferma tutte le app con il link qui sotto e revoca le chiavi delle app che non riconosci.',
    weekSubject: {
      one: 'La tua settimana: {count} credito speso',
      many: 'La tua settimana: {count} di crediti spesi',
      other: 'La tua settimana: {count} crediti spesi',
    },
    weekText: {
      one: 'Dal {from} al {to} hai speso {count} credito ({comparison}).',
      many: 'Dal {from} al {to} hai speso {count} de crediti ({comparison}).',
      other: 'Dal {from} al {to} hai speso {count} crediti ({comparison}).',
    },
    weekApp: {
      one: '{app}: {count} credito ({comparison})',
      many: '{app}: {count} de crediti ({comparison})',
      other: '{app}: {count} crediti ({comparison})',
    },
    nothingBefore: 'nulla la settimana precedente',
    sameAsBefore: 'come la settimana precedente',
    moreThanBefore: '{amount} in più rispetto alla settimana precedente',
    fewerThanBefore: '{amount} in meno rispetto alla settimana precedente',
    unnamedApps: 'App i cui nomi non sono approvati',
    unnamedApp: 'Un’app il cui nome non è approvato',
    willRaise: '{app} aumenterà la commissione da {from} a {to} il {date} (UTC).',
    raised: '{app} ha aumentato la commissione da {from} a {to} il {date} (UTC).',
  },
};
