import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { one: '{count} crédito', many: '{count} de créditos', other: '{count} créditos' },
  less: 'menos de {amount}',
  buyCredits: 'Comprar créditos',
  showActivity: 'Ver su actividad',
  links: {
    stop: 'Impedir que todas las aplicaciones gasten mis créditos',
    stopApp: 'Impedir que esta aplicación, o todas, gasten mis créditos',
    unsubscribe: 'Dejar de recibir estos correos',
  },
  goods: {
    one: '{count} crédito de {brand}',
    many: '{count} de créditos de {brand}',
    other: '{count} créditos de {brand}',
  },
  bonusGoods: {
    one: '{count} crédito de regalo',
    many: '{count} de créditos de regalo',
    other: '{count} créditos de regalo',
  },
  receipt: {
    pageTitle: 'Recibo',
    title: 'Su recibo de {brand}: {paid}',
    intro: 'Gracias. Su pago se ha completado: {credits} para {app}.',
    topUpTitle: 'Su recarga automática: {paid}',
    topUpIntro: {
      one: 'Sus créditos se estaban agotando, así que se añadió {count} crédito con su tarjeta guardada. Las aplicaciones lo gastan dentro de la autorización que usted da a cada una. Puede cambiar o desactivar la recarga automática en su cuenta, en «Billing».',
      many: 'Sus créditos se estaban agotando, así que se añadieron {count} de créditos con su tarjeta guardada. Las aplicaciones los gastan dentro de la autorización que usted da a cada una. Puede cambiar o desactivar la recarga automática en su cuenta, en «Billing».',
      other:
        'Sus créditos se estaban agotando, así que se añadieron {count} créditos con su tarjeta guardada. Las aplicaciones los gastan dentro de la autorización que usted da a cada una. Puede cambiar o desactivar la recarga automática en su cuenta, en «Billing».',
    },
    unnamedApp: 'una aplicación que usa {brand}',
    autoTopUp: 'Recarga automática',
    number: 'Recibo',
    date: 'Fecha',
    app: 'Comprado en',
    buyer: 'Cuenta',
    credits: 'Créditos',
    bonus: 'Créditos de regalo (código {code})',
    rate: 'Tipo de cambio',
    paid: 'Pagado',
    tax: 'Impuestos incluidos',
    refunded: 'Reembolsado',
    link: 'Abrir o imprimir este recibo',
    invoiceLink: 'Su factura',
    back: 'Cuenta',
    print: 'Imprimir',
    printNote: 'Los créditos no caducan. 100 créditos equivalen a 1 dólar estadounidense de uso.',
    statuses: {
      paid: 'Pagado',
      partly_refunded: 'Reembolsado parcialmente',
      refunded: 'Reembolsado',
      disputed: 'Disputado',
    },
    note: 'Recibe este correo porque ha comprado créditos con su cuenta de {brand}.',
    documents: {
      invoice: 'Factura',
      credit_note: 'Nota de crédito',
      cancellation: 'Anulación',
    },
    createInvoice: 'Crear factura',
    billingDetails: 'Datos de facturación',
    enterDetails: 'Introducir datos de facturación para una factura',
    invoiceFailed: 'No se pudo crear la factura. Inténtelo de nuevo.',
  },
  login: {
    subject: '{code} es su código de {name}',
    reason: '{app} solicitó este código para que pueda iniciar sesión con su cuenta de {brand}.',
    reasonUnnamed:
      'Una aplicación que usa {brand} solicitó este código para que pueda iniciar sesión con su cuenta de {brand}.',
    life: 'Funciona una sola vez, durante los próximos 10 minutos.',
    never: 'Nunca le pediremos este código por teléfono, chat o correo electrónico.',
    ignore: 'Si no lo solicitó, puede ignorar este correo.',
    allowanceSubject: {
      one: '{code} permite que {app} gaste hasta {count} de sus créditos',
      many: '{code} permite que {app} gaste hasta {count} de sus créditos',
      other: '{code} permite que {app} gaste hasta {count} de sus créditos',
    },
    allowanceSubjectUnnamed: {
      one: '{code} permite que una aplicación gaste hasta {count} de sus créditos',
      many: '{code} permite que una aplicación gaste hasta {count} de sus créditos',
      other: '{code} permite que una aplicación gaste hasta {count} de sus créditos',
    },
    allowanceReason: {
      one: 'Introduzca este código solo si {app} puede gastar hasta {count} crédito que compró en otro lugar.',
      many: 'Introduzca este código solo si {app} puede gastar hasta {count} de créditos que compró en otro lugar.',
      other:
        'Introduzca este código solo si {app} puede gastar hasta {count} créditos que compró en otro lugar.',
    },
    allowanceReasonUnnamed: {
      one: 'Introduzca este código solo si la aplicación que lo pide puede gastar hasta {count} crédito que compró en otro lugar.',
      many: 'Introduzca este código solo si la aplicación que lo pide puede gastar hasta {count} de créditos que compró en otro lugar.',
      other:
        'Introduzca este código solo si la aplicación que lo pide puede gastar hasta {count} créditos que compró en otro lugar.',
    },
    allowanceIgnore: 'Si no lo desea, ignore este correo. Sin el código no cambia nada.',
    changeSubject: '{code} confirma un cambio en su cuenta de {brand}',
    changeReason:
      'Alguien que ha iniciado sesión en su cuenta de {brand} está a punto de cambiar algo en ella. Este código confirma ese cambio; no inicia sesión.',
    changeNever:
      'Introdúzcalo solo en la página donde hace el cambio. Nunca se lo pediremos por teléfono, chat o correo electrónico.',
    changeIgnore:
      'Si no fue usted, no comparta el código. Inicie sesión en {brand} y cierre la sesión en sus otros dispositivos.',
    newEmailSubject: '{code} confirma esta dirección de correo electrónico para {brand}',
    newEmailReason:
      'Alguien quiere usar esta dirección de correo electrónico en su cuenta de {brand}. Este código confirma que le pertenece; no inicia sesión.',
    newEmailIgnore: 'Si no fue usted, ignore este correo. Sin el código no cambia nada.',
    oldEmailSubject: '{code} cambia la dirección de correo electrónico de su cuenta de {brand}',
    oldEmailReason:
      'Alguien que ha iniciado sesión en su cuenta de {brand} quiere cambiar la dirección de correo electrónico a {email}. Después, esta dirección ya no iniciará sesión.',
  },
  wrongCodes: {
    subject: 'Códigos de inicio de sesión incorrectos para su cuenta de {brand}',
    text: 'Se introdujeron {number} códigos de inicio de sesión incorrectos para su cuenta, desde navegadores o aplicaciones que no reconocemos. Los códigos se solicitaron entre el {from} y el {to}. Un código incorrecto no da acceso.',
    mistyped: 'Si se equivocó al escribir un código, puede ignorar este correo.',
    safe: 'Si no fue usted, su cuenta sigue segura: los códigos solo se envían a esta dirección de correo electrónico. No dé nunca un código a nadie. Puede seguir usando su cuenta y, en un navegador en el que ya haya iniciado sesión, estos intentos no le afectan.',
    devices:
      'Para mayor seguridad, abra «Devices» en su cuenta y cierre la sesión en los dispositivos que no conozca.',
  },
  lowBalance: {
    subject: 'Sus créditos de {brand} se están agotando',
    text: {
      one: 'Le queda {count} crédito, menos de los {threshold} con los que eligió recibir un aviso. Cuando se agoten, las aplicaciones ya no podrán enviar solicitudes por usted.',
      many: 'Le quedan {count} de créditos, menos de los {threshold} con los que eligió recibir un aviso. Cuando se agoten, las aplicaciones ya no podrán enviar solicitudes por usted.',
      other:
        'Le quedan {count} créditos, menos de los {threshold} con los que eligió recibir un aviso. Cuando se agoten, las aplicaciones ya no podrán enviar solicitudes por usted.',
    },
    note: 'Enviamos este correo como máximo una vez al día, y solo después de que sus créditos hayan vuelto a superar ese número.',
    change: 'Cambiar o desactivar este correo',
  },
  topUp: {
    confirmSubject: 'Confirme su recarga de {amount}',
    confirmText:
      'Sus créditos se están agotando. Su banco le pide que confirme el pago de {amount} con su {card} antes de realizarlo.',
    confirmUntil:
      'Confírmelo antes del {time}. De lo contrario, el pago se cancela y la recarga automática se desactiva.',
    confirm: 'Confirmar el pago',
    because: 'Recibe este correo porque activó la recarga automática en su cuenta de {brand}.',
    usedUp: 'Cuando se agoten sus créditos, las aplicaciones ya no podrán enviar solicitudes por usted.',
    review: 'Revisar la recarga automática',
    titles: {
      declined: 'Recarga automática desactivada: su banco rechazó el pago',
      unknown_card: 'Recarga automática desactivada: se eliminó la tarjeta',
      expired_card: 'Recarga automática desactivada: su tarjeta ha caducado',
      insufficient_funds: 'Recarga automática desactivada: su tarjeta no tiene fondos suficientes',
      no_tax_address: 'Recarga automática desactivada: falta su dirección de facturación',
      not_allowed: 'Recarga automática desactivada: su banco no la permitió',
      not_confirmed: 'Recarga automática desactivada: el pago no se confirmó',
      reversed: 'Recarga automática desactivada: se devolvió un pago',
      user: 'Recarga automática desactivada: usted la desactivó',
    },
    user: 'Sus créditos no se recargan automáticamente.',
    notAllowed:
      'Su banco no permite pagos automáticos con su {card}. Elija otra tarjeta o póngase en contacto con su banco.',
    unknownCard:
      'Su {card} ya no está guardada. Para continuar, active la recarga automática con otra tarjeta.',
    reversed:
      'Un pago se reembolsó o disputó, por lo que no se hará ningún otro pago. Puede activar la recarga automática de nuevo en cualquier momento.',
    noTaxAddress:
      'No se pudieron calcular los impuestos del pago de {amount} con su {card}. Compre créditos una vez e introduzca su dirección; después, active de nuevo la recarga automática.',
    notConfirmed:
      'No confirmó a tiempo el pago de {amount} con su {card}, por lo que se canceló. No se le ha cobrado nada.',
    declinedByCard:
      'Su banco rechazó el pago de {amount} con su {card}. No se le ha cobrado nada. Para continuar, active de nuevo la recarga automática o elija otra tarjeta.',
    declined:
      'Su banco rechazó el pago de {amount} con su {card} sin dar un motivo que podamos mostrar. No se le ha cobrado nada. Para continuar, elija otra tarjeta o póngase en contacto con su banco y active de nuevo la recarga automática.',
  },
  correction: {
    subject: {
      one: 'Le hemos reembolsado {count} crédito',
      many: 'Le hemos reembolsado {count} de créditos',
      other: 'Le hemos reembolsado {count} créditos',
    },
    text: {
      one: 'Cobramos de más en una de sus solicitudes y hemos devuelto {credits} a su cuenta.',
      many: 'Cobramos de más en {count} de sus solicitudes y hemos devuelto {credits} a su cuenta.',
      other: 'Cobramos de más en {count} de sus solicitudes y hemos devuelto {credits} a su cuenta.',
    },
    reason: 'Motivo: {reason}',
    link: 'Ver las solicitudes',
    note: 'Cada recibo muestra su reembolso de {brand}. No tiene que hacer nada.',
  },
  warning: {
    because: {
      limits:
        'Recibe este correo porque pidió a {brand} avisos al 50, 80 y 100 % de sus límites y de lo que ha comprado.',
      unusual:
        'Recibe este correo porque pidió a {brand} avisos sobre gastos inusuales, como máximo una vez al día.',
      weekly:
        'Recibe este correo porque pidió a {brand} un resumen de cada semana en la que usó una aplicación.',
    },
    choose: 'Elegir qué correos recibe',
    showLimits: 'Ver sus límites',
    anApp: 'una aplicación',
    limit: {
      day: {
        app: 'su límite diario para {app}',
        all: 'su límite diario para todas las aplicaciones',
        partner: 'el límite diario que {app} le fija',
      },
      week: {
        app: 'su límite semanal para {app}',
        all: 'su límite semanal para todas las aplicaciones',
        partner: 'el límite semanal que {app} le fija',
      },
      month: {
        app: 'su límite mensual para {app}',
        all: 'su límite mensual para todas las aplicaciones',
        partner: 'el límite mensual que {app} le fija',
      },
    },
    limitReached: 'Ha alcanzado {limit}',
    limitUsed: '{percent} usado: {limit}',
    limitSpent: {
      one: 'Ha gastado {used} de {count} crédito ({limit}).',
      many: 'Ha gastado {used} de {count} de créditos ({limit}).',
      other: 'Ha gastado {used} de {count} créditos ({limit}).',
    },
    tooSmall: 'Lo que queda no alcanza para otra solicitud.',
    resets: 'Se restablece el {time}.',
    refusedOwn:
      'Las solicitudes se rechazan hasta que el límite se restablezca el {time} o hasta que usted lo aumente.',
    refusedOfApp:
      'Las solicitudes se rechazan hasta que el límite se restablezca el {time}. Solo la aplicación puede cambiarlo.',
    usedUp: 'Sus créditos se han agotado',
    usedUpText:
      'Lo que queda no alcanza para otra solicitud, por lo que las aplicaciones ya no pueden enviar más por usted.',
    spentPercent: 'Ha gastado el {percent} de sus créditos',
    sincePurchase: {
      one: 'Desde su última compra, el {date}, ha gastado {used} del {count} crédito que tenía entonces.',
      many: 'Desde su última compra, el {date}, ha gastado {used} de los {count} de créditos que tenía entonces.',
      other:
        'Desde su última compra, el {date}, ha gastado {used} de los {count} créditos que tenía entonces.',
    },
    left: {
      one: 'Le queda {count} crédito.',
      many: 'Le quedan {count} de créditos.',
      other: 'Le quedan {count} créditos.',
    },
    unusualSubject: {
      one: 'Hoy ha gastado {count} crédito',
      many: 'Hoy ha gastado {count} de créditos',
      other: 'Hoy ha gastado {count} créditos',
    },
    unusualText: {
      one: 'Hoy ha gastado {count} crédito; la mayoría de los días gasta {usual}.',
      many: 'Hoy ha gastado {count} de créditos; la mayoría de los días gasta {usual}.',
      other: 'Hoy ha gastado {count} créditos; la mayoría de los días gasta {usual}.',
    },
    unusualRange: 'de {from} a {to}',
    unusualDay:
      'Hoy es {date} (UTC). Lo hemos comparado con los días de las últimas cuatro semanas en los que usó una aplicación.',
    unusualAdvice:
      'Si fue usted, no tiene que hacer nada. Si no, detenga todas las aplicaciones con el enlace de abajo y revoque las claves de las aplicaciones que no reconozca.',
    weekSubject: {
      one: 'Su semana: {count} crédito gastado',
      many: 'Su semana: {count} de créditos gastados',
      other: 'Su semana: {count} créditos gastados',
    },
    weekText: {
      one: 'Del {from} al {to} gastó {count} crédito ({comparison}).',
      many: 'Del {from} al {to} gastó {count} de créditos ({comparison}).',
      other: 'Del {from} al {to} gastó {count} créditos ({comparison}).',
    },
    weekApp: {
      one: '{app}: {count} crédito ({comparison})',
      many: '{app}: {count} de créditos ({comparison})',
      other: '{app}: {count} créditos ({comparison})',
    },
    nothingBefore: 'nada la semana anterior',
    sameAsBefore: 'lo mismo que la semana anterior',
    moreThanBefore: '{amount} más que la semana anterior',
    fewerThanBefore: '{amount} menos que la semana anterior',
    unnamedApps: 'Aplicaciones cuyos nombres no están aprobados',
    unnamedApp: 'Una aplicación cuyo nombre no está aprobado',
    willRaise: '{app} aumentará su comisión de {from} a {to} el {date} (UTC).',
    raised: '{app} aumentó su comisión de {from} a {to} el {date} (UTC).',
  },
};
