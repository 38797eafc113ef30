import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} crédit', many: '{count} de crédits', other: '{count} crédits' },
  less: 'moins de {amount}',
  buyCredits: 'Acheter des crédits',
  showActivity: 'Afficher votre activité',
  links: {
    stop: 'Empêcher toutes les applications de dépenser mes crédits',
    stopApp: 'Empêcher cette application, ou toutes, de dépenser mes crédits',
    unsubscribe: 'Se désabonner de ces e-mails',
  },
  goods: {
    one: '{count} crédit {brand}',
    many: '{count} de crédits {brand}',
    other: '{count} crédits {brand}',
  },
  bonusGoods: {
    one: '{count} crédit bonus',
    many: '{count} de crédits bonus',
    other: '{count} crédits bonus',
  },
  receipt: {
    pageTitle: 'Reçu',
    title: 'Votre reçu {brand} : {paid}',
    intro: 'Merci. Votre paiement est terminé : {credits} pour {app}.',
    topUpTitle: 'Votre recharge automatique : {paid}',
    topUpIntro: {
      one: 'Vos crédits étaient bientôt épuisés : {count} crédit a donc été ajouté avec votre carte enregistrée. Les applications le dépensent dans la limite de l’autorisation que vous leur accordez. Vous pouvez modifier ou désactiver la recharge automatique dans votre compte, sous « Billing ».',
      many: 'Vos crédits étaient bientôt épuisés : {count} de crédits ont donc été ajoutés avec votre carte enregistrée. Les applications les dépensent dans la limite de l’autorisation que vous leur accordez. Vous pouvez modifier ou désactiver la recharge automatique dans votre compte, sous « Billing ».',
      other:
        'Vos crédits étaient bientôt épuisés : {count} crédits ont donc été ajoutés avec votre carte enregistrée. Les applications les dépensent dans la limite de l’autorisation que vous leur accordez. Vous pouvez modifier ou désactiver la recharge automatique dans votre compte, sous « Billing ».',
    },
    unnamedApp: 'une application qui utilise {brand}',
    autoTopUp: 'Recharge automatique',
    number: 'Reçu',
    date: 'Date',
    app: 'Acheté dans',
    buyer: 'Compte',
    credits: 'Crédits',
    bonus: 'Crédits bonus (code {code})',
    rate: 'Taux de change',
    paid: 'Payé',
    tax: 'Taxes comprises',
    refunded: 'Remboursé',
    link: 'Ouvrir ou imprimer ce reçu',
    invoiceLink: 'Votre facture',
    back: 'Compte',
    print: 'Imprimer',
    printNote: 'Les crédits n’expirent pas. 100 crédits correspondent à 1 dollar américain d’utilisation.',
    statuses: {
      paid: 'Payé',
      partly_refunded: 'Partiellement remboursé',
      refunded: 'Remboursé',
      disputed: 'Contesté',
    },
    note: 'Vous recevez cet e-mail parce que vous avez acheté des crédits avec votre compte {brand}.',
    documents: {
      invoice: 'Facture',
      credit_note: 'Avoir',
      cancellation: 'Annulation',
    },
    createInvoice: 'Créer une facture',
    billingDetails: 'Informations de facturation',
    enterDetails: 'Saisir les informations de facturation pour une facture',
    invoiceFailed: 'La facture n’a pas pu être créée. Veuillez réessayer.',
  },
  login: {
    subject: '{code} est votre code {name}',
    reason: '{app} a demandé ce code pour que vous puissiez vous connecter avec votre compte {brand}.',
    reasonUnnamed:
      'Une application qui utilise {brand} a demandé ce code pour que vous puissiez vous connecter avec votre compte {brand}.',
    life: 'Il est valable une seule fois, pendant 10 minutes.',
    never: 'Nous ne vous demanderons jamais ce code par téléphone, chat ou e-mail.',
    ignore: 'Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.',
    allowanceSubject: {
      one: '{code} permet à {app} de dépenser jusqu’à {count} de vos crédits',
      many: '{code} permet à {app} de dépenser jusqu’à {count} de vos crédits',
      other: '{code} permet à {app} de dépenser jusqu’à {count} de vos crédits',
    },
    allowanceSubjectUnnamed: {
      one: '{code} permet à une application de dépenser jusqu’à {count} de vos crédits',
      many: '{code} permet à une application de dépenser jusqu’à {count} de vos crédits',
      other: '{code} permet à une application de dépenser jusqu’à {count} de vos crédits',
    },
    allowanceReason: {
      one: 'Ne saisissez ce code que si {app} peut dépenser jusqu’à {count} crédit que vous avez acheté ailleurs.',
      many: 'Ne saisissez ce code que si {app} peut dépenser jusqu’à {count} de crédits que vous avez achetés ailleurs.',
      other:
        'Ne saisissez ce code que si {app} peut dépenser jusqu’à {count} crédits que vous avez achetés ailleurs.',
    },
    allowanceReasonUnnamed: {
      one: 'Ne saisissez ce code que si l’application qui vous le demande peut dépenser jusqu’à {count} crédit que vous avez acheté ailleurs.',
      many: 'Ne saisissez ce code que si l’application qui vous le demande peut dépenser jusqu’à {count} de crédits que vous avez achetés ailleurs.',
      other:
        'Ne saisissez ce code que si l’application qui vous le demande peut dépenser jusqu’à {count} crédits que vous avez achetés ailleurs.',
    },
    allowanceIgnore: 'Si vous ne le souhaitez pas, ignorez cet e-mail. Rien ne change sans le code.',
    changeSubject: '{code} confirme une modification de votre compte {brand}',
    changeReason:
      'Une personne connectée à votre compte {brand} s’apprête à y modifier quelque chose. Ce code confirme la modification ; il ne permet pas de se connecter.',
    changeNever:
      'Ne le saisissez que sur la page où vous effectuez la modification. Nous ne vous le demanderons jamais par téléphone, chat ou e-mail.',
    changeIgnore:
      'Si ce n’était pas vous, ne communiquez pas le code. Connectez-vous à {brand} et déconnectez vos autres appareils.',
    newEmailSubject: '{code} confirme cette adresse e-mail pour {brand}',
    newEmailReason:
      'Une personne souhaite utiliser cette adresse e-mail pour son compte {brand}. Ce code confirme qu’elle lui appartient ; il ne permet pas de se connecter.',
    newEmailIgnore: 'Si ce n’était pas vous, ignorez cet e-mail. Rien ne change sans le code.',
    oldEmailSubject: '{code} modifie l’adresse e-mail de votre compte {brand}',
    oldEmailReason:
      'Une personne connectée à votre compte {brand} souhaite remplacer son adresse e-mail par {email}. Ensuite, cette adresse ne permettra plus de se connecter.',
  },
  wrongCodes: {
    subject: 'Codes de connexion incorrects pour votre compte {brand}',
    text: '{number} codes de connexion incorrects ont été saisis pour votre compte, depuis des navigateurs ou applications que nous ne reconnaissons pas. Les codes ont été demandés entre le {from} et le {to}. Un code incorrect ne donne aucun accès.',
    mistyped: 'Si vous vous êtes trompé en saisissant un code, vous pouvez ignorer cet e-mail.',
    safe: 'Si ce n’était pas vous, votre compte reste protégé : les codes ne sont envoyés qu’à cette adresse e-mail. N’en communiquez jamais un. Vous pouvez continuer à utiliser votre compte et, dans un navigateur où vous vous êtes déjà connecté, ces tentatives ne vous gênent pas.',
    devices:
      'Par précaution, ouvrez « Devices » dans votre compte et déconnectez les appareils que vous ne connaissez pas.',
  },
  lowBalance: {
    subject: 'Vos crédits {brand} sont bientôt épuisés',
    text: {
      one: 'Il vous reste {count} crédit, moins que les {threshold} à partir desquels vous souhaitez être averti. Une fois épuisés, les applications ne pourront plus envoyer de requêtes pour vous.',
      many: 'Il vous reste {count} de crédits, moins que les {threshold} à partir desquels vous souhaitez être averti. Une fois épuisés, les applications ne pourront plus envoyer de requêtes pour vous.',
      other:
        'Il vous reste {count} crédits, moins que les {threshold} à partir desquels vous souhaitez être averti. Une fois épuisés, les applications ne pourront plus envoyer de requêtes pour vous.',
    },
    note: 'Nous envoyons cet e-mail au plus une fois par jour, et seulement après que vos crédits ont de nouveau dépassé ce nombre.',
    change: 'Modifier ou désactiver cet e-mail',
  },
  topUp: {
    confirmSubject: 'Confirmez votre recharge de {amount}',
    confirmText:
      'Vos crédits sont bientôt épuisés. Votre banque vous demande de confirmer le paiement de {amount} avec votre {card} avant qu’il ne soit effectué.',
    confirmUntil:
      'Confirmez-le avant le {time}. Sinon, le paiement est annulé et la recharge automatique désactivée.',
    confirm: 'Confirmer le paiement',
    because:
      'Vous recevez cet e-mail parce que vous avez activé la recharge automatique dans votre compte {brand}.',
    usedUp:
      'Les applications ne pourront plus envoyer de requêtes pour vous lorsque vos crédits seront épuisés.',
    review: 'Vérifier la recharge automatique',
    titles: {
      declined: 'Recharge automatique désactivée : votre banque a refusé le paiement',
      unknown_card: 'Recharge automatique désactivée : la carte a été supprimée',
      expired_card: 'Recharge automatique désactivée : votre carte a expiré',
      insufficient_funds: 'Recharge automatique désactivée : fonds insuffisants sur votre carte',
      no_tax_address: 'Recharge automatique désactivée : votre adresse de facturation est manquante',
      not_allowed: 'Recharge automatique désactivée : votre banque ne l’a pas autorisée',
      not_confirmed: 'Recharge automatique désactivée : le paiement n’a pas été confirmé',
      reversed: 'Recharge automatique désactivée : un paiement a été annulé',
      user: 'Recharge automatique désactivée : vous l’avez désactivée',
    },
    user: 'Vos crédits ne sont pas rechargés automatiquement.',
    notAllowed:
      'Votre banque n’autorise pas les paiements automatiques avec votre {card}. Choisissez une autre carte ou contactez votre banque.',
    unknownCard:
      'Votre {card} n’est plus enregistrée. Pour continuer, activez la recharge automatique avec une autre carte.',
    reversed:
      'Un paiement a été remboursé ou contesté : aucun autre paiement n’est effectué. Vous pouvez réactiver la recharge automatique à tout moment.',
    noTaxAddress:
      'Les taxes du paiement de {amount} avec votre {card} n’ont pas pu être calculées. Achetez des crédits une fois en saisissant votre adresse, puis réactivez la recharge automatique.',
    notConfirmed:
      'Vous n’avez pas confirmé à temps le paiement de {amount} avec votre {card} : il a été annulé. Vous n’avez pas été débité.',
    declinedByCard:
      'Votre banque a refusé le paiement de {amount} avec votre {card}. Vous n’avez pas été débité. Pour continuer, réactivez la recharge automatique ou choisissez une autre carte.',
    declined:
      'Votre banque a refusé le paiement de {amount} avec votre {card} sans donner de motif que nous puissions afficher. Vous n’avez pas été débité. Pour continuer, choisissez une autre carte ou contactez votre banque, puis réactivez la recharge automatique.',
  },
  correction: {
    subject: {
      one: 'Nous avons remboursé {count} crédit',
      many: 'Nous avons remboursé {count} de crédits',
      other: 'Nous avons remboursé {count} crédits',
    },
    text: {
      one: 'Nous avons trop facturé une de vos requêtes et avons rendu {credits} à votre compte.',
      many: 'Nous avons trop facturé {count} de vos requêtes et avons rendu {credits} à votre compte.',
      other: 'Nous avons trop facturé {count} de vos requêtes et avons rendu {credits} à votre compte.',
    },
    reason: 'Motif : {reason}',
    link: 'Afficher les requêtes',
    note: 'Chaque relevé indique le remboursement par {brand}. Vous n’avez rien à faire.',
  },
  warning: {
    because: {
      limits:
        'Vous recevez cet e-mail parce que vous avez demandé à {brand} des e-mails à 50, 80 et 100 % de vos plafonds et de vos achats.',
      unusual:
        'Vous recevez cet e-mail parce que vous avez demandé à {brand} des e-mails sur les dépenses inhabituelles, au plus une fois par jour.',
      weekly:
        'Vous recevez cet e-mail parce que vous avez demandé à {brand} un récapitulatif de chaque semaine d’utilisation.',
    },
    choose: 'Choisir les e-mails que vous recevez',
    showLimits: 'Afficher vos plafonds',
    anApp: 'une application',
    limit: {
      day: {
        app: 'votre plafond quotidien pour {app}',
        all: 'votre plafond quotidien pour toutes les applications',
        partner: 'le plafond quotidien fixé par {app}',
      },
      week: {
        app: 'votre plafond hebdomadaire pour {app}',
        all: 'votre plafond hebdomadaire pour toutes les applications',
        partner: 'le plafond hebdomadaire fixé par {app}',
      },
      month: {
        app: 'votre plafond mensuel pour {app}',
        all: 'votre plafond mensuel pour toutes les applications',
        partner: 'le plafond mensuel fixé par {app}',
      },
    },
    limitReached: 'Vous avez atteint {limit}',
    limitUsed: '{percent} utilisés : {limit}',
    limitSpent: {
      one: 'Vous avez dépensé {used} sur {count} crédit ({limit}).',
      many: 'Vous avez dépensé {used} sur {count} de crédits ({limit}).',
      other: 'Vous avez dépensé {used} sur {count} crédits ({limit}).',
    },
    tooSmall: 'Le solde restant ne suffit pas pour une autre requête.',
    resets: 'Il est réinitialisé le {time}.',
    refusedOwn:
      'Les requêtes sont refusées jusqu’à la réinitialisation du plafond le {time}, ou jusqu’à ce que vous le releviez.',
    refusedOfApp:
      'Les requêtes sont refusées jusqu’à la réinitialisation du plafond le {time}. Seule l’application peut le modifier.',
    usedUp: 'Vos crédits sont épuisés',
    usedUpText:
      'Le solde restant ne suffit pas pour une autre requête : les applications ne peuvent plus en envoyer pour vous.',
    spentPercent: 'Vous avez dépensé {percent} de vos crédits',
    sincePurchase: {
      one: 'Depuis votre dernier achat le {date}, vous avez dépensé {used} sur le {count} crédit que vous aviez alors.',
      many: 'Depuis votre dernier achat le {date}, vous avez dépensé {used} sur les {count} de crédits que vous aviez alors.',
      other:
        'Depuis votre dernier achat le {date}, vous avez dépensé {used} sur les {count} crédits que vous aviez alors.',
    },
    left: {
      one: 'Il vous reste {count} crédit.',
      many: 'Il vous reste {count} de crédits.',
      other: 'Il vous reste {count} crédits.',
    },
    unusualSubject: {
      one: 'Vous avez dépensé {count} crédit aujourd’hui',
      many: 'Vous avez dépensé {count} de crédits aujourd’hui',
      other: 'Vous avez dépensé {count} crédits aujourd’hui',
    },
    unusualText: {
      one: 'Vous avez dépensé {count} crédit aujourd’hui ; la plupart des jours, vous dépensez {usual}.',
      many: 'Vous avez dépensé {count} de crédits aujourd’hui ; la plupart des jours, vous dépensez {usual}.',
      other: 'Vous avez dépensé {count} crédits aujourd’hui ; la plupart des jours, vous dépensez {usual}.',
    },
    unusualRange: 'de {from} à {to}',
    unusualDay:
      'Nous sommes le {date} (UTC). Nous avons comparé cette journée aux jours des quatre dernières semaines où vous avez utilisé une application.',
    unusualAdvice:
      'Si c’était vous, vous n’avez rien à faire. Sinon, arrêtez toutes les applications avec le lien ci-dessous et révoquez les clés des applications que vous ne reconnaissez pas.',
    weekSubject: {
      one: 'Votre semaine : {count} crédit dépensé',
      many: 'Votre semaine : {count} de crédits dépensés',
      other: 'Votre semaine : {count} crédits dépensés',
    },
    weekText: {
      one: 'Du {from} au {to}, vous avez dépensé {count} crédit ({comparison}).',
      many: 'Du {from} au {to}, vous avez dépensé {count} de crédits ({comparison}).',
      other: 'Du {from} au {to}, vous avez dépensé {count} crédits ({comparison}).',
    },
    weekApp: {
      one: '{app} : {count} crédit ({comparison})',
      many: '{app} : {count} de crédits ({comparison})',
      other: '{app} : {count} crédits ({comparison})',
    },
    nothingBefore: 'rien la semaine précédente',
    sameAsBefore: 'autant que la semaine précédente',
    moreThanBefore: '{amount} de plus que la semaine précédente',
    fewerThanBefore: '{amount} de moins que la semaine précédente',
    unnamedApps: 'Applications dont le nom n’est pas approuvé',
    unnamedApp: 'Une application dont le nom n’est pas approuvé',
    willRaise: '{app} fera passer sa commission de {from} à {to} le {date} (UTC).',
    raised: '{app} a fait passer sa commission de {from} à {to} le {date} (UTC).',
  },
};
