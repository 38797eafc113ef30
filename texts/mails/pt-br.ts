import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} crédito', many: '{count} de créditos', other: '{count} créditos' },
  less: 'menos de {amount}',
  buyCredits: 'Comprar créditos',
  showActivity: 'Ver sua atividade',
  links: {
    stop: 'Impedir que todos os apps gastem meus créditos',
    stopApp: 'Impedir que este app, ou todos, gastem meus créditos',
    unsubscribe: 'Cancelar o recebimento destes e-mails',
  },
  goods: {
    one: '{count} crédito {brand}',
    many: '{count} de créditos {brand}',
    other: '{count} créditos {brand}',
  },
  bonusGoods: {
    one: '{count} crédito de bônus',
    many: '{count} de créditos de bônus',
    other: '{count} créditos de bônus',
  },
  receipt: {
    pageTitle: 'Recibo',
    title: 'Seu recibo de {brand}: {paid}',
    intro: 'Obrigado. Seu pagamento foi concluído: {credits} para {app}.',
    topUpTitle: 'Sua recarga automática: {paid}',
    topUpIntro: {
      one: 'Seus créditos estavam acabando, então {count} crédito foi adicionado com seu cartão salvo. Os apps o gastam dentro da autorização que você dá a cada um. Você pode alterar ou desativar a recarga automática na sua conta, em “Billing”.',
      many: 'Seus créditos estavam acabando, então {count} de créditos foram adicionados com seu cartão salvo. Os apps os gastam dentro da autorização que você dá a cada um. Você pode alterar ou desativar a recarga automática na sua conta, em “Billing”.',
      other:
        'Seus créditos estavam acabando, então {count} créditos foram adicionados com seu cartão salvo. Os apps os gastam dentro da autorização que você dá a cada um. Você pode alterar ou desativar a recarga automática na sua conta, em “Billing”.',
    },
    unnamedApp: 'um app que usa {brand}',
    autoTopUp: 'Recarga automática',
    number: 'Recibo',
    date: 'Data',
    app: 'Comprado em',
    buyer: 'Conta',
    credits: 'Créditos',
    bonus: 'Créditos de bônus (código {code})',
    rate: 'Taxa de câmbio',
    paid: 'Pago',
    tax: 'Impostos incluídos',
    refunded: 'Reembolsado',
    link: 'Abrir ou imprimir este recibo',
    invoiceLink: 'Sua fatura',
    back: 'Conta',
    print: 'Imprimir',
    printNote: 'Os créditos não expiram. 100 créditos equivalem a 1 dólar americano de uso.',
    statuses: {
      paid: 'Pago',
      partly_refunded: 'Reembolsado parcialmente',
      refunded: 'Reembolsado',
      disputed: 'Contestado',
    },
    note: 'Você recebeu este e-mail porque comprou créditos com sua conta {brand}.',
    documents: {
      invoice: 'Fatura',
      credit_note: 'Nota de crédito',
      cancellation: 'Cancelamento',
    },
    createInvoice: 'Criar fatura',
    billingDetails: 'Dados de cobrança',
    enterDetails: 'Informar dados de cobrança para uma fatura',
    invoiceFailed: 'Não foi possível criar a fatura. Tente novamente.',
  },
  login: {
    subject: '{code} é o seu código de {name}',
    reason: '{app} solicitou este código para que você possa entrar com sua conta {brand}.',
    reasonUnnamed:
      'Um app que usa {brand} solicitou este código para que você possa entrar com sua conta {brand}.',
    life: 'Ele funciona uma única vez, nos próximos 10 minutos.',
    never: 'Nunca pediremos este código por telefone, chat ou e-mail.',
    ignore: 'Se você não o solicitou, pode ignorar este e-mail.',
    allowanceSubject: {
      one: '{code} permite que {app} gaste até {count} dos seus créditos',
      many: '{code} permite que {app} gaste até {count} dos seus créditos',
      other: '{code} permite que {app} gaste até {count} dos seus créditos',
    },
    allowanceSubjectUnnamed: {
      one: '{code} permite que um app gaste até {count} dos seus créditos',
      many: '{code} permite que um app gaste até {count} dos seus créditos',
      other: '{code} permite que um app gaste até {count} dos seus créditos',
    },
    allowanceReason: {
      one: 'Digite este código somente se {app} puder gastar até {count} crédito que você comprou em outro lugar.',
      many: 'Digite este código somente se {app} puder gastar até {count} de créditos que você comprou em outro lugar.',
      other:
        'Digite este código somente se {app} puder gastar até {count} créditos que você comprou em outro lugar.',
    },
    allowanceReasonUnnamed: {
      one: 'Digite este código somente se o app que o pede puder gastar até {count} crédito que você comprou em outro lugar.',
      many: 'Digite este código somente se o app que o pede puder gastar até {count} de créditos que você comprou em outro lugar.',
      other:
        'Digite este código somente se o app que o pede puder gastar até {count} créditos que você comprou em outro lugar.',
    },
    allowanceIgnore: 'Se não quiser isso, ignore este e-mail. Nada muda sem o código.',
    changeSubject: '{code} confirma uma alteração na sua conta {brand}',
    changeReason:
      'Alguém que entrou na sua conta {brand} está prestes a alterar algo nela. Este código confirma a alteração; ele não permite entrar.',
    changeNever:
      'Digite-o somente na página em que você faz a alteração. Nunca o pediremos por telefone, chat ou e-mail.',
    changeIgnore:
      'Se não foi você, não repasse o código. Entre em {brand} e desconecte seus outros dispositivos.',
    newEmailSubject: '{code} confirma este endereço de e-mail para {brand}',
    newEmailReason:
      'Alguém quer usar este endereço de e-mail na própria conta {brand}. Este código confirma que ele lhe pertence; ele não permite entrar.',
    newEmailIgnore: 'Se não foi você, ignore este e-mail. Nada muda sem o código.',
    oldEmailSubject: '{code} altera o endereço de e-mail da sua conta {brand}',
    oldEmailReason:
      'Alguém que entrou na sua conta {brand} quer alterar o endereço de e-mail para {email}. Depois disso, este endereço não permitirá mais entrar.',
  },
  wrongCodes: {
    subject: 'Códigos de acesso incorretos para sua conta {brand}',
    text: 'Foram digitados {number} códigos de acesso incorretos para sua conta, em navegadores ou apps que não reconhecemos. Os códigos foram solicitados entre {from} e {to}. Um código incorreto não dá acesso.',
    mistyped: 'Se você digitou um código errado, pode ignorar este e-mail.',
    safe: 'Se não foi você, sua conta continua segura: os códigos são enviados somente para este e-mail. Nunca passe um código a ninguém. Você pode continuar usando sua conta e, em um navegador em que já entrou, essas tentativas não afetam você.',
    devices: 'Por segurança, abra “Devices” na sua conta e desconecte os dispositivos que não conhece.',
  },
  lowBalance: {
    subject: 'Seus créditos {brand} estão acabando',
    text: {
      one: 'Você tem {count} crédito restante, menos que os {threshold} com os quais escolheu ser avisado. Quando acabarem, os apps não poderão mais enviar solicitações por você.',
      many: 'Você tem {count} de créditos restantes, menos que os {threshold} com os quais escolheu ser avisado. Quando acabarem, os apps não poderão mais enviar solicitações por você.',
      other:
        'Você tem {count} créditos restantes, menos que os {threshold} com os quais escolheu ser avisado. Quando acabarem, os apps não poderão mais enviar solicitações por você.',
    },
    note: 'Enviamos este e-mail no máximo uma vez por dia e somente depois que seus créditos tiverem ultrapassado esse número novamente.',
    change: 'Alterar ou desativar este e-mail',
  },
  topUp: {
    confirmSubject: 'Confirme sua recarga de {amount}',
    confirmText:
      'Seus créditos estão acabando. Seu banco pede que você confirme o pagamento de {amount} com seu {card} antes de efetuá-lo.',
    confirmUntil:
      'Confirme até {time}. Caso contrário, o pagamento será cancelado e a recarga automática, desativada.',
    confirm: 'Confirmar o pagamento',
    because: 'Você recebeu este e-mail porque ativou a recarga automática na sua conta {brand}.',
    usedUp: 'Quando seus créditos acabarem, os apps não poderão mais enviar solicitações por você.',
    review: 'Revisar a recarga automática',
    titles: {
      declined: 'Recarga automática desativada: seu banco recusou o pagamento',
      unknown_card: 'Recarga automática desativada: o cartão foi removido',
      expired_card: 'Recarga automática desativada: seu cartão venceu',
      insufficient_funds: 'Recarga automática desativada: seu cartão não tem saldo suficiente',
      no_tax_address: 'Recarga automática desativada: falta seu endereço de cobrança',
      not_allowed: 'Recarga automática desativada: seu banco não a permitiu',
      not_confirmed: 'Recarga automática desativada: o pagamento não foi confirmado',
      reversed: 'Recarga automática desativada: um pagamento foi devolvido',
      user: 'Recarga automática desativada: você a desativou',
    },
    user: 'Seus créditos não são recarregados automaticamente.',
    notAllowed:
      'Seu banco não permite pagamentos automáticos com seu {card}. Escolha outro cartão ou fale com seu banco.',
    unknownCard:
      'Seu {card} não está mais salvo. Para continuar, ative a recarga automática com outro cartão.',
    reversed:
      'Um pagamento foi reembolsado ou contestado, por isso nenhum outro pagamento será feito. Você pode reativar a recarga automática a qualquer momento.',
    noTaxAddress:
      'Não foi possível calcular os impostos do pagamento de {amount} com seu {card}. Compre créditos uma vez informando seu endereço e depois reative a recarga automática.',
    notConfirmed:
      'Você não confirmou a tempo o pagamento de {amount} com seu {card}, por isso ele foi cancelado. Nada foi cobrado.',
    declinedByCard:
      'Seu banco recusou o pagamento de {amount} com seu {card}. Nada foi cobrado. Para continuar, reative a recarga automática ou escolha outro cartão.',
    declined:
      'Seu banco recusou o pagamento de {amount} com seu {card} sem dar um motivo que possamos mostrar. Nada foi cobrado. Para continuar, escolha outro cartão ou fale com seu banco e depois reative a recarga automática.',
  },
  correction: {
    subject: {
      one: 'Reembolsamos {count} crédito',
      many: 'Reembolsamos {count} de créditos',
      other: 'Reembolsamos {count} créditos',
    },
    text: {
      one: 'Cobramos a mais em uma das suas solicitações e devolvemos {credits} à sua conta.',
      many: 'Cobramos a mais em {count} das suas solicitações e devolvemos {credits} à sua conta.',
      other: 'Cobramos a mais em {count} das suas solicitações e devolvemos {credits} à sua conta.',
    },
    reason: 'Motivo: {reason}',
    link: 'Ver as solicitações',
    note: 'Cada recibo mostra o reembolso de {brand}. Você não precisa fazer nada.',
  },
  warning: {
    because: {
      limits:
        'Você recebeu este e-mail porque pediu avisos a {brand} em 50, 80 e 100% dos seus limites e do que comprou.',
      unusual:
        'Você recebeu este e-mail porque pediu avisos a {brand} sobre gastos incomuns, no máximo uma vez por dia.',
      weekly: 'Você recebeu este e-mail porque pediu a {brand} um resumo de cada semana em que usou um app.',
    },
    choose: 'Escolher quais e-mails recebe',
    showLimits: 'Ver seus limites',
    anApp: 'um app',
    limit: {
      day: {
        app: 'seu limite diário para {app}',
        all: 'seu limite diário para todos os apps',
        partner: 'o limite diário que {app} define para você',
      },
      week: {
        app: 'seu limite semanal para {app}',
        all: 'seu limite semanal para todos os apps',
        partner: 'o limite semanal que {app} define para você',
      },
      month: {
        app: 'seu limite mensal para {app}',
        all: 'seu limite mensal para todos os apps',
        partner: 'o limite mensal que {app} define para você',
      },
    },
    limitReached: 'Você atingiu {limit}',
    limitUsed: '{percent} usado: {limit}',
    limitSpent: {
      one: 'Você gastou {used} de {count} crédito ({limit}).',
      many: 'Você gastou {used} de {count} de créditos ({limit}).',
      other: 'Você gastou {used} de {count} créditos ({limit}).',
    },
    tooSmall: 'O restante não é suficiente para outra solicitação.',
    resets: 'Ele é renovado em {time}.',
    refusedOwn:
      'As solicitações são recusadas até que o limite seja renovado em {time} ou até que você o aumente.',
    refusedOfApp:
      'As solicitações são recusadas até que o limite seja renovado em {time}. Só o app pode alterá-lo.',
    usedUp: 'Seus créditos acabaram',
    usedUpText:
      'O restante não é suficiente para outra solicitação, por isso os apps não podem enviar mais nenhuma por você.',
    spentPercent: 'Você gastou {percent} dos seus créditos',
    sincePurchase: {
      one: 'Desde sua última compra em {date}, você gastou {used} de {count} crédito que tinha na época.',
      many: 'Desde sua última compra em {date}, você gastou {used} dos {count} de créditos que tinha na época.',
      other: 'Desde sua última compra em {date}, você gastou {used} dos {count} créditos que tinha na época.',
    },
    left: {
      one: 'Você tem {count} crédito restante.',
      many: 'Você tem {count} de créditos restantes.',
      other: 'Você tem {count} créditos restantes.',
    },
    unusualSubject: {
      one: 'Você gastou {count} crédito hoje',
      many: 'Você gastou {count} de créditos hoje',
      other: 'Você gastou {count} créditos hoje',
    },
    unusualText: {
      one: 'Você gastou {count} crédito hoje; na maioria dos dias, gasta {usual}.',
      many: 'Você gastou {count} de créditos hoje; na maioria dos dias, gasta {usual}.',
      other: 'Você gastou {count} créditos hoje; na maioria dos dias, gasta {usual}.',
    },
    unusualRange: 'de {from} a {to}',
    unusualDay:
      'Hoje é {date} (UTC). Comparamos com os dias das últimas quatro semanas em que você usou um app.',
    unusualAdvice:
      'Se foi você, não precisa fazer nada. Caso contrário, interrompa todos os apps com o link abaixo e revogue as chaves dos apps que não reconhece.',
    weekSubject: {
      one: 'Sua semana: {count} crédito gasto',
      many: 'Sua semana: {count} de créditos gastos',
      other: 'Sua semana: {count} créditos gastos',
    },
    weekText: {
      one: 'De {from} a {to}, você gastou {count} crédito ({comparison}).',
      many: 'De {from} a {to}, você gastou {count} de créditos ({comparison}).',
      other: 'De {from} a {to}, você gastou {count} créditos ({comparison}).',
    },
    weekApp: {
      one: '{app}: {count} crédito ({comparison})',
      many: '{app}: {count} de créditos ({comparison})',
      other: '{app}: {count} créditos ({comparison})',
    },
    nothingBefore: 'nada na semana anterior',
    sameAsBefore: 'o mesmo que na semana anterior',
    moreThanBefore: '{amount} a mais que na semana anterior',
    fewerThanBefore: '{amount} a menos que na semana anterior',
    unnamedApps: 'Apps cujos nomes não foram aprovados',
    unnamedApp: 'Um app cujo nome não foi aprovado',
    willRaise: '{app} aumentará a comissão de {from} para {to} em {date} (UTC).',
    raised: '{app} aumentou a comissão de {from} para {to} em {date} (UTC).',
  },
};
