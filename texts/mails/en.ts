/** The words of mails to users about credits, payments and sign-in codes, and of receipts. */
export const texts = {
  credits: { one: '{count} credit', other: '{count} credits' },
  less: 'less than {amount}',
  buyCredits: 'Buy credits',
  showActivity: 'Show your activity',
  links: {
    stop: 'Stop all apps from spending my credits',
    stopApp: 'Stop this app, or all apps, from spending my credits',
    unsubscribe: 'Unsubscribe from these e-mails',
  },
  goods: { one: '{count} {brand} credit', other: '{count} {brand} credits' },
  bonusGoods: { one: '{count} bonus credit', other: '{count} bonus credits' },

  receipt: {
    pageTitle: 'Receipt',
    title: 'Your {brand} receipt: {paid}',
    intro: 'Thank you. Your payment is complete: {credits} for {app}.',
    topUpTitle: 'Your auto top-up: {paid}',
    topUpIntro: {
      one: 'Your credits were running low, so {count} credit was added with your saved card. Apps spend it within the allowance that you give each of them. You can change auto top-up or turn it off in your account, under Billing.',
      other:
        'Your credits were running low, so {count} credits were added with your saved card. Apps spend them within the allowance that you give each of them. You can change auto top-up or turn it off in your account, under Billing.',
    },
    unnamedApp: 'an app that uses {brand}',
    autoTopUp: 'Auto top-up',
    number: 'Receipt',
    date: 'Date',
    app: 'Bought in',
    buyer: 'Account',
    credits: 'Credits',
    bonus: 'Bonus credits (code {code})',
    rate: 'Exchange rate',
    paid: 'Paid',
    tax: 'Tax included',
    refunded: 'Refunded',
    link: 'Open or print this receipt',
    invoiceLink: 'Your invoice',
    back: 'Account',
    print: 'Print',
    printNote: 'Credits do not expire. 100 credits are worth 1 US dollar of use.',
    statuses: {
      paid: 'Paid',
      partly_refunded: 'Partially refunded',
      refunded: 'Refunded',
      disputed: 'Disputed',
    },
    note: 'You are receiving this e-mail because you bought credits with your {brand} account.',
    documents: {
      invoice: 'Invoice',
      credit_note: 'Credit note',
      cancellation: 'Cancellation',
    },
    createInvoice: 'Create invoice',
    billingDetails: 'Billing details',
    enterDetails: 'Enter billing details for an invoice',
    invoiceFailed: 'The invoice could not be created. Please try again.',
  },

  login: {
    subject: '{code} is your {name} code',
    reason: '{app} requested this code so that you can sign in with your {brand} account.',
    reasonUnnamed:
      'An app that uses {brand} requested this code so that you can sign in with your {brand} account.',
    life: 'It works once, within the next 10 minutes.',
    never: 'We will never ask you for this code by phone, chat or e-mail.',
    ignore: 'If you did not request it, you can ignore this e-mail.',
    allowanceSubject: {
      one: '{code} allows {app} to spend up to {count} of your credits',
      other: '{code} allows {app} to spend up to {count} of your credits',
    },
    allowanceSubjectUnnamed: {
      one: '{code} allows an app to spend up to {count} of your credits',
      other: '{code} allows an app to spend up to {count} of your credits',
    },
    allowanceReason: {
      one: 'Enter this code only if {app} may spend up to {count} credit that you bought elsewhere.',
      other: 'Enter this code only if {app} may spend up to {count} credits that you bought elsewhere.',
    },
    allowanceReasonUnnamed: {
      one: 'Enter this code only if the app that asks for it may spend up to {count} credit that you bought elsewhere.',
      other:
        'Enter this code only if the app that asks for it may spend up to {count} credits that you bought elsewhere.',
    },
    allowanceIgnore: 'If you do not want this, ignore this e-mail. Nothing changes without the code.',
    changeSubject: '{code} confirms a change in your {brand} account',
    changeReason:
      'Someone who is signed in to your {brand} account is about to change something there. This code confirms that change; it does not sign in.',
    changeNever:
      'Enter it only on the page where you make the change. We will never ask you for it by phone, chat or e-mail.',
    changeIgnore:
      'If this was not you, do not pass the code on. Sign in to {brand} and sign out your other devices.',
    newEmailSubject: '{code} confirms this e-mail address for {brand}',
    newEmailReason:
      'Someone wants to use this e-mail address for their {brand} account. This code confirms that it is theirs; it does not sign in.',
    newEmailIgnore: 'If this was not you, ignore this e-mail. Nothing changes without the code.',
    oldEmailSubject: '{code} changes the e-mail address of your {brand} account',
    oldEmailReason:
      'Someone who is signed in to your {brand} account wants to change its e-mail address to {email}. After that, this address no longer signs in.',
  },

  wrongCodes: {
    subject: 'Wrong sign-in codes for your {brand} account',
    text: '{number} wrong sign-in codes were entered for your account, from browsers or apps that we do not recognise. The codes were requested between {from} and {to}. A wrong code gives no access.',
    mistyped: 'If you mistyped a code, you can ignore this e-mail.',
    safe: 'If it was not you, your account is still safe: codes are sent to this e-mail address only. Never give one to anyone. You can keep using your account, and on a browser where you have signed in before, such attempts do not affect you.',
    devices: 'To be sure, open Devices in your account and sign out those that you do not know.',
  },

  lowBalance: {
    subject: 'Your {brand} credits are running low',
    text: {
      one: 'You have {count} credit left, fewer than the {threshold} you chose to be notified at. When they are used up, apps can no longer send requests for you.',
      other:
        'You have {count} credits left, fewer than the {threshold} you chose to be notified at. When they are used up, apps can no longer send requests for you.',
    },
    note: 'We send this e-mail at most once a day, and only after your credits have been above that number again.',
    change: 'Change or turn off this mail',
  },

  topUp: {
    confirmSubject: 'Confirm your top-up of {amount}',
    confirmText:
      'Your credits are running low. Your bank asks you to confirm the payment of {amount} with your {card} before it is made.',
    confirmUntil:
      'Confirm it by {time}. If you do not, the payment is cancelled and auto top-up is turned off.',
    confirm: 'Confirm the payment',
    because: 'You are receiving this e-mail because you turned on auto top-up in your {brand} account.',
    usedUp: 'Apps can no longer send requests for you when your credits are used up.',
    review: 'Review auto top-up',
    titles: {
      declined: 'Auto top-up is off: your bank declined the payment',
      unknown_card: 'Auto top-up is off: the card was removed',
      expired_card: 'Auto top-up is off: your card has expired',
      insufficient_funds: 'Auto top-up is off: your card has insufficient funds',
      no_tax_address: 'Auto top-up is off: your billing address is missing',
      not_allowed: 'Auto top-up is off: your bank did not allow it',
      not_confirmed: 'Auto top-up is off: the payment was not confirmed',
      reversed: 'Auto top-up is off: a payment was returned',
      user: 'Auto top-up is off: you turned it off',
    },
    user: 'Your credits are not topped up automatically.',
    notAllowed:
      'Your bank does not allow automatic payments with your {card}. Choose another one, or contact your bank.',
    unknownCard: 'Your {card} is no longer saved. To continue, turn auto top-up on with another card.',
    reversed:
      'A payment was refunded or disputed, so no further payment is made. You can turn it on again at any time.',
    noTaxAddress:
      'The tax of the payment of {amount} with your {card} could not be calculated. Buy credits once and enter your address, then turn auto top-up on again.',
    notConfirmed:
      'You did not confirm the payment of {amount} with your {card} in time, so it was cancelled. You were not charged.',
    declinedByCard:
      'Your bank declined the payment of {amount} with your {card}. You were not charged. To continue, turn auto top-up on again or choose another card.',
    declined:
      'Your bank declined the payment of {amount} with your {card} and gave no reason that we can show. You were not charged. To continue, choose another card or contact your bank, then turn auto top-up on again.',
  },

  correction: {
    subject: { one: 'We refunded {count} credit', other: 'We refunded {count} credits' },
    text: {
      one: 'We overcharged one of your requests and have returned {credits} to your account.',
      other: 'We overcharged {count} of your requests and have returned {credits} to your account.',
    },
    reason: 'Reason: {reason}',
    link: 'Show the requests',
    note: 'Each receipt shows its refund by {brand}. No action is needed.',
  },

  warning: {
    because: {
      limits:
        'You are receiving this e-mail because you asked {brand} for e-mails at 50, 80 and 100% of your limits and of what you bought.',
      unusual:
        'You are receiving this e-mail because you asked {brand} for e-mails about unusual spending, at most once a day.',
      weekly:
        'You are receiving this e-mail because you asked {brand} for e-mails with a summary of each week in which you used an app.',
    },
    choose: 'Choose which e-mails you get',
    showLimits: 'Show your limits',
    anApp: 'an app',
    limit: {
      day: {
        app: 'your limit per day for {app}',
        all: 'your limit per day for all apps',
        partner: 'the limit per day that {app} sets for you',
      },
      week: {
        app: 'your limit per week for {app}',
        all: 'your limit per week for all apps',
        partner: 'the limit per week that {app} sets for you',
      },
      month: {
        app: 'your limit per month for {app}',
        all: 'your limit per month for all apps',
        partner: 'the limit per month that {app} sets for you',
      },
    },
    limitReached: 'You have reached {limit}',
    limitUsed: 'You have used {percent} of {limit}',
    limitSpent: {
      one: 'You have spent {used} of the {count} credit of {limit}.',
      other: 'You have spent {used} of the {count} credits of {limit}.',
    },
    tooSmall: 'The remaining amount is too small for another request.',
    resets: 'It resets on {time}.',
    refusedOwn: 'Requests are refused until the limit resets on {time}, or until you raise it.',
    refusedOfApp: 'Requests are refused until the limit resets on {time}. Only the app can change it.',
    usedUp: 'Your credits are used up',
    usedUpText:
      'The remaining amount is too small for another request, so apps cannot send any more for you.',
    spentPercent: 'You have spent {percent} of your credits',
    sincePurchase: {
      one: 'Since your last purchase on {date} you have spent {used} of the {count} credit that you had then.',
      other:
        'Since your last purchase on {date} you have spent {used} of the {count} credits that you had then.',
    },
    left: { one: 'You have {count} credit left.', other: 'You have {count} credits left.' },
    unusualSubject: { one: 'You spent {count} credit today', other: 'You spent {count} credits today' },
    unusualText: {
      one: 'You spent {count} credit today; on most days you spend {usual}.',
      other: 'You spent {count} credits today; on most days you spend {usual}.',
    },
    unusualRange: '{from} to {to}',
    unusualDay:
      'Today is {date} (UTC). We compared it with the days in the last four weeks on which you used an app.',
    unusualAdvice:
      'If this was you, no action is needed. Otherwise, stop all apps with the link below, and revoke the keys of apps that you do not recognise.',
    weekSubject: { one: 'Your week: {count} credit spent', other: 'Your week: {count} credits spent' },
    weekText: {
      one: 'From {from} to {to} you spent {count} credit, {comparison}.',
      other: 'From {from} to {to} you spent {count} credits, {comparison}.',
    },
    weekApp: {
      one: '{app}: {count} credit, {comparison}',
      other: '{app}: {count} credits, {comparison}',
    },
    nothingBefore: 'and nothing in the week before',
    sameAsBefore: 'as much as in the week before',
    moreThanBefore: '{amount} more than in the week before',
    fewerThanBefore: '{amount} fewer than in the week before',
    unnamedApps: 'Apps whose names are not approved',
    unnamedApp: 'An app whose name is not approved',
    willRaise: '{app} will raise its commission from {from} to {to} on {date} (UTC).',
    raised: '{app} raised its commission from {from} to {to} on {date} (UTC).',
  },
} as const;
