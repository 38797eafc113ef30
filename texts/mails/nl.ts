import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} credit', other: '{count} credits' },
  less: 'minder dan {amount}',
  buyCredits: 'Credits kopen',
  showActivity: 'Je activiteit bekijken',
  links: {
    stop: 'Alle apps verbieden mijn credits uit te geven',
    stopApp: 'Deze app, of alle apps, verbieden mijn credits uit te geven',
    unsubscribe: 'Afmelden voor deze e-mails',
  },
  goods: { one: '{count} {brand}-credit', other: '{count} {brand}-credits' },
  bonusGoods: { one: '{count} bonuscredit', other: '{count} bonuscredits' },
  receipt: {
    pageTitle: 'Ontvangstbewijs',
    title: 'Je ontvangstbewijs van {brand}: {paid}',
    intro: 'Bedankt. Je betaling is voltooid: {credits} voor {app}.',
    topUpTitle: 'Je automatische opwaardering: {paid}',
    topUpIntro: {
      one: 'Je credits waren bijna op, dus is er {count} credit toegevoegd met je opgeslagen kaart. Apps geven die uit binnen de toestemming die je ze geeft. Je kunt automatisch opwaarderen wijzigen of uitschakelen in je account, onder ‘Billing’.',
      other:
        'Je credits waren bijna op, dus zijn er {count} credits toegevoegd met je opgeslagen kaart. Apps geven ze uit binnen de toestemming die je ze geeft. Je kunt automatisch opwaarderen wijzigen of uitschakelen in je account, onder ‘Billing’.',
    },
    unnamedApp: 'een app die {brand} gebruikt',
    autoTopUp: 'Automatisch opwaarderen',
    number: 'Ontvangstbewijs',
    date: 'Datum',
    app: 'Gekocht in',
    buyer: 'Account',
    credits: 'Credits',
    bonus: 'Bonuscredits (code {code})',
    rate: 'Wisselkoers',
    paid: 'Betaald',
    tax: 'Inclusief belasting',
    refunded: 'Terugbetaald',
    link: 'Dit ontvangstbewijs openen of afdrukken',
    invoiceLink: 'Je factuur',
    back: 'Account',
    print: 'Afdrukken',
    printNote: 'Credits verlopen niet. 100 credits zijn 1 Amerikaanse dollar aan gebruik waard.',
    statuses: {
      paid: 'Betaald',
      partly_refunded: 'Gedeeltelijk terugbetaald',
      refunded: 'Terugbetaald',
      disputed: 'Betwist',
    },
    note: 'Je ontvangt deze e-mail omdat je credits hebt gekocht met je {brand}-account.',
    documents: {
      invoice: 'Factuur',
      credit_note: 'Creditnota',
      cancellation: 'Annulering',
    },
    createInvoice: 'Factuur maken',
    billingDetails: 'Factuurgegevens',
    enterDetails: 'Factuurgegevens invullen voor een factuur',
    invoiceFailed: 'De factuur kon niet worden gemaakt. Probeer het opnieuw.',
  },
  login: {
    subject: '{code} is je code voor {name}',
    reason: '{app} heeft deze code aangevraagd zodat je kunt inloggen met je {brand}-account.',
    reasonUnnamed:
      'Een app die {brand} gebruikt, heeft deze code aangevraagd zodat je kunt inloggen met je {brand}-account.',
    life: 'De code werkt één keer, binnen 10 minuten.',
    never: 'We vragen je nooit om deze code, niet per telefoon, chat of e-mail.',
    ignore: 'Als je de code niet hebt aangevraagd, kun je deze e-mail negeren.',
    allowanceSubject: {
      one: '{code} laat {app} maximaal {count} van je credits uitgeven',
      other: '{code} laat {app} maximaal {count} van je credits uitgeven',
    },
    allowanceSubjectUnnamed: {
      one: '{code} laat een app maximaal {count} van je credits uitgeven',
      other: '{code} laat een app maximaal {count} van je credits uitgeven',
    },
    allowanceReason: {
      one: 'Vul deze code alleen in als {app} maximaal {count} credit mag uitgeven die je elders hebt gekocht.',
      other:
        'Vul deze code alleen in als {app} maximaal {count} credits mag uitgeven die je elders hebt gekocht.',
    },
    allowanceReasonUnnamed: {
      one: 'Vul deze code alleen in als de app die erom vraagt maximaal {count} credit mag uitgeven die je elders hebt gekocht.',
      other:
        'Vul deze code alleen in als de app die erom vraagt maximaal {count} credits mag uitgeven die je elders hebt gekocht.',
    },
    allowanceIgnore: 'Wil je dit niet, negeer dan deze e-mail. Zonder de code verandert er niets.',
    changeSubject: '{code} bevestigt een wijziging in je {brand}-account',
    changeReason:
      'Iemand die is ingelogd op je {brand}-account staat op het punt daar iets te wijzigen. Deze code bevestigt die wijziging; je logt er niet mee in.',
    changeNever:
      'Vul de code alleen in op de pagina waar je de wijziging doorvoert. We vragen er nooit om, niet per telefoon, chat of e-mail.',
    changeIgnore:
      'Was jij dit niet, geef de code dan niet door. Log in bij {brand} en log je andere apparaten uit.',
    newEmailSubject: '{code} bevestigt dit e-mailadres voor {brand}',
    newEmailReason:
      'Iemand wil dit e-mailadres voor een {brand}-account gebruiken. Deze code bevestigt dat het adres van diegene is; je logt er niet mee in.',
    newEmailIgnore: 'Was jij dit niet, negeer dan deze e-mail. Zonder de code verandert er niets.',
    oldEmailSubject: '{code} wijzigt het e-mailadres van je {brand}-account',
    oldEmailReason:
      'Iemand die is ingelogd op je {brand}-account wil het e-mailadres wijzigen in {email}. Daarna kun je met dit adres niet meer inloggen.',
  },
  wrongCodes: {
    subject: 'Onjuiste inlogcodes voor je {brand}-account',
    text: 'Er zijn {number} onjuiste inlogcodes ingevuld voor je account, vanaf browsers of apps die we niet herkennen. De codes zijn aangevraagd tussen {from} en {to}. Een onjuiste code geeft geen toegang.',
    mistyped: 'Als je een code verkeerd hebt getypt, kun je deze e-mail negeren.',
    safe: 'Was jij dit niet, dan is je account nog steeds veilig: codes worden alleen naar dit e-mailadres gestuurd. Geef er nooit een aan iemand. Je kunt je account blijven gebruiken, en in een browser waarin je eerder hebt ingelogd, heb je geen last van zulke pogingen.',
    devices: 'Open voor de zekerheid ‘Devices’ in je account en log apparaten uit die je niet kent.',
  },
  lowBalance: {
    subject: 'Je {brand}-credits zijn bijna op',
    text: {
      one: 'Je hebt nog {count} credit, minder dan de {threshold} waarbij je een melding wilt krijgen. Als je credits op zijn, kunnen apps geen verzoeken meer voor je versturen.',
      other:
        'Je hebt nog {count} credits, minder dan de {threshold} waarbij je een melding wilt krijgen. Als je credits op zijn, kunnen apps geen verzoeken meer voor je versturen.',
    },
    note: 'We sturen deze e-mail hooguit één keer per dag, en pas nadat je credits weer boven dat aantal zijn geweest.',
    change: 'Deze e-mail wijzigen of uitschakelen',
  },
  topUp: {
    confirmSubject: 'Bevestig je opwaardering van {amount}',
    confirmText:
      'Je credits zijn bijna op. Je bank vraagt je de betaling van {amount} met je {card} te bevestigen voordat deze wordt uitgevoerd.',
    confirmUntil:
      'Bevestig de betaling vóór {time}. Anders wordt de betaling geannuleerd en automatisch opwaarderen uitgeschakeld.',
    confirm: 'Betaling bevestigen',
    because:
      'Je ontvangt deze e-mail omdat je automatisch opwaarderen hebt ingeschakeld in je {brand}-account.',
    usedUp: 'Als je credits op zijn, kunnen apps geen verzoeken meer voor je versturen.',
    review: 'Automatisch opwaarderen bekijken',
    titles: {
      declined: 'Automatisch opwaarderen staat uit: je bank heeft de betaling geweigerd',
      unknown_card: 'Automatisch opwaarderen staat uit: de kaart is verwijderd',
      expired_card: 'Automatisch opwaarderen staat uit: je kaart is verlopen',
      insufficient_funds: 'Automatisch opwaarderen staat uit: er staat onvoldoende saldo op je kaart',
      no_tax_address: 'Automatisch opwaarderen staat uit: je factuuradres ontbreekt',
      not_allowed: 'Automatisch opwaarderen staat uit: je bank stond het niet toe',
      not_confirmed: 'Automatisch opwaarderen staat uit: de betaling is niet bevestigd',
      reversed: 'Automatisch opwaarderen staat uit: een betaling is teruggedraaid',
      user: 'Automatisch opwaarderen staat uit: je hebt het uitgeschakeld',
    },
    user: 'Je credits worden niet automatisch opgewaardeerd.',
    notAllowed:
      'Je bank staat geen automatische betalingen toe met je {card}. Kies een andere kaart of neem contact op met je bank.',
    unknownCard:
      'Je {card} is niet meer opgeslagen. Schakel automatisch opwaarderen in met een andere kaart om door te gaan.',
    reversed:
      'Een betaling is terugbetaald of betwist, dus er wordt geen betaling meer gedaan. Je kunt automatisch opwaarderen op elk moment weer inschakelen.',
    noTaxAddress:
      'De belasting op de betaling van {amount} met je {card} kon niet worden berekend. Koop één keer credits en vul je adres in, en schakel automatisch opwaarderen daarna weer in.',
    notConfirmed:
      'Je hebt de betaling van {amount} met je {card} niet op tijd bevestigd, dus deze is geannuleerd. Er is niets afgeschreven.',
    declinedByCard:
      'Je bank heeft de betaling van {amount} met je {card} geweigerd. Er is niets afgeschreven. Schakel automatisch opwaarderen weer in of kies een andere kaart om door te gaan.',
    declined:
      'Je bank heeft de betaling van {amount} met je {card} geweigerd zonder een reden die we kunnen tonen. Er is niets afgeschreven. Kies een andere kaart of neem contact op met je bank, en schakel automatisch opwaarderen daarna weer in.',
  },
  correction: {
    subject: {
      one: 'We hebben {count} credit terugbetaald',
      other: 'We hebben {count} credits terugbetaald',
    },
    text: {
      one: 'We hebben te veel berekend voor een van je verzoeken en hebben {credits} teruggezet op je account.',
      other:
        'We hebben te veel berekend voor {count} van je verzoeken en hebben {credits} teruggezet op je account.',
    },
    reason: 'Reden: {reason}',
    link: 'De verzoeken bekijken',
    note: 'Elk bewijs toont de terugbetaling door {brand}. Je hoeft niets te doen.',
  },
  warning: {
    because: {
      limits:
        'Je ontvangt deze e-mail omdat je {brand} hebt gevraagd om e-mails bij 50, 80 en 100% van je limieten en van wat je hebt gekocht.',
      unusual:
        'Je ontvangt deze e-mail omdat je {brand} hebt gevraagd om e-mails over ongebruikelijke uitgaven, hooguit één keer per dag.',
      weekly:
        'Je ontvangt deze e-mail omdat je {brand} hebt gevraagd om een overzicht van elke week waarin je een app hebt gebruikt.',
    },
    choose: 'Kiezen welke e-mails je krijgt',
    showLimits: 'Je limieten bekijken',
    anApp: 'een app',
    limit: {
      day: {
        app: 'je daglimiet voor {app}',
        all: 'je daglimiet voor alle apps',
        partner: 'de daglimiet die {app} voor je instelt',
      },
      week: {
        app: 'je weeklimiet voor {app}',
        all: 'je weeklimiet voor alle apps',
        partner: 'de weeklimiet die {app} voor je instelt',
      },
      month: {
        app: 'je maandlimiet voor {app}',
        all: 'je maandlimiet voor alle apps',
        partner: 'de maandlimiet die {app} voor je instelt',
      },
    },
    limitReached: 'Je hebt {limit} bereikt',
    limitUsed: '{percent} gebruikt: {limit}',
    limitSpent: {
      one: 'Je hebt {used} van {count} credit uitgegeven ({limit}).',
      other: 'Je hebt {used} van {count} credits uitgegeven ({limit}).',
    },
    tooSmall: 'Wat over is, is te weinig voor nog een verzoek.',
    resets: 'De limiet begint opnieuw op {time}.',
    refusedOwn:
      'Verzoeken worden geweigerd tot de limiet op {time} opnieuw begint, of tot je de limiet verhoogt.',
    refusedOfApp:
      'Verzoeken worden geweigerd tot de limiet op {time} opnieuw begint. Alleen de app kan de limiet wijzigen.',
    usedUp: 'Je credits zijn op',
    usedUpText:
      'Wat over is, is te weinig voor nog een verzoek, dus apps kunnen er geen meer voor je versturen.',
    spentPercent: 'Je hebt {percent} van je credits uitgegeven',
    sincePurchase: {
      one: 'Sinds je laatste aankoop op {date} heb je {used} uitgegeven van de {count} credit die je toen had.',
      other:
        'Sinds je laatste aankoop op {date} heb je {used} uitgegeven van de {count} credits die je toen had.',
    },
    left: { one: 'Je hebt nog {count} credit.', other: 'Je hebt nog {count} credits.' },
    unusualSubject: {
      one: 'Je hebt vandaag {count} credit uitgegeven',
      other: 'Je hebt vandaag {count} credits uitgegeven',
    },
    unusualText: {
      one: 'Je hebt vandaag {count} credit uitgegeven; op de meeste dagen geef je {usual} uit.',
      other: 'Je hebt vandaag {count} credits uitgegeven; op de meeste dagen geef je {usual} uit.',
    },
    unusualRange: '{from} tot {to}',
    unusualDay:
      'Vandaag is {date} (UTC). We hebben deze dag vergeleken met de dagen in de afgelopen vier weken waarop je een app hebt gebruikt.',
    unusualAdvice:
      'Was jij dit, dan hoef je niets te doen. Stop anders alle apps met de link hieronder en trek de sleutels in van apps die je niet herkent.',
    weekSubject: { one: 'Je week: {count} credit uitgegeven', other: 'Je week: {count} credits uitgegeven' },
    weekText: {
      one: 'Van {from} tot {to} heb je {count} credit uitgegeven ({comparison}).',
      other: 'Van {from} tot {to} heb je {count} credits uitgegeven ({comparison}).',
    },
    weekApp: { one: '{app}: {count} credit ({comparison})', other: '{app}: {count} credits ({comparison})' },
    nothingBefore: 'niets in de week ervoor',
    sameAsBefore: 'evenveel als in de week ervoor',
    moreThanBefore: '{amount} meer dan in de week ervoor',
    fewerThanBefore: '{amount} minder dan in de week ervoor',
    unnamedApps: 'Apps waarvan de naam niet is goedgekeurd',
    unnamedApp: 'Een app waarvan de naam niet is goedgekeurd',
    willRaise: '{app} verhoogt de commissie van {from} naar {to} op {date} (UTC).',
    raised: '{app} heeft de commissie verhoogd van {from} naar {to} op {date} (UTC).',
  },
};
