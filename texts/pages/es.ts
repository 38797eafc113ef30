import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  signIn: {
    pageTitle: 'Iniciar sesión',
    title: 'Iniciar sesión en {brand}',
    text: 'Le enviaremos un código. Si es nuevo, esto crea su cuenta.',
    invited: 'Le han invitado a un equipo. Inicie sesión como {email} para responder.',
    passkey: 'Iniciar sesión con una llave de acceso',
    issuerTitle: 'Continuar con {issuer}',
    issuerText:
      'Ha iniciado sesión como {email}. Estas páginas solo se abren después de iniciar sesión con {issuer}.',
    passkeyTitle: 'Use su llave de acceso',
    passkeyText: 'Ha iniciado sesión como {email}. Para estas páginas no basta un código.',
    passkeyUse: 'Usar una llave de acceso',
    passkeyFailures: {
      unsupported: 'Este navegador no puede usar llaves de acceso en esta dirección. Use un código.',
      cancelled:
        'No se usó ninguna llave de acceso: se canceló la solicitud o este dispositivo no tiene ninguna. Inténtelo de nuevo.',
      failed: 'No se pudo usar la llave de acceso en este dispositivo.',
      refused: 'Esta llave de acceso no se aceptó. Inténtelo de nuevo o use un código.',
    },
  },
  presence: {
    title: 'Confirme que es usted',
    text: 'Algunos cambios requieren una confirmación reciente. No se pierde nada de lo que ha introducido.',
    sent: 'Hemos enviado un código a su correo electrónico. Es válido durante 10 minutos, igual que su confirmación.',
    confirm: 'Confirmar',
    wait: 'Un momento…',
    passkey: 'Usar una llave de acceso',
    passkeyRequired:
      'Usted es operador o propietario de una aplicación, por lo que no basta un código. Si ha perdido el dispositivo, un operador puede eliminar sus llaves de acceso.',
    codeInstead: 'Enviar un código',
  },
  deadLink: {
    title: 'Este enlace no funciona',
    account: 'su cuenta',
    continue:
      'Está incompleto o tiene más de una hora. Puede comprar créditos y definir autorizaciones en {account}.',
    stop: 'Está incompleto o tiene más de 30 días. Puede detener aplicaciones en {account}.',
    revoke: 'Está incompleto o tiene más de 30 días. Puede revocar claves en {account}.',
    undo: 'Está incompleto, ya se usó o tiene más de 7 días. Puede cambiar la dirección en {account}.',
    unsubscribe: 'Está incompleto. Puede elegir qué correos recibe en {account}.',
  },
  continue: {
    pageTitle: 'Continuar',
    title: 'Este enlace es para otra cuenta',
    text: 'Su terminal o aplicación usa una cuenta distinta de la que ha iniciado sesión aquí. Cierre la sesión, abra de nuevo el enlace e inicie sesión con la otra cuenta.',
    signedInAs: 'Sesión iniciada como',
  },
  stop: {
    pageTitle: 'Detener aplicaciones',
    askApp: '¿Detener {app}?',
    askThisApp: '¿Detener esta aplicación?',
    askAll: '¿Detener todas las aplicaciones?',
    appStopped: '{app} está detenida',
    thisAppStopped: 'Esta aplicación está detenida',
    allStopped: 'Todas las aplicaciones están detenidas',
    askAppText:
      'No podrá gastar sus créditos a partir de la próxima solicitud, y las solicitudes en curso terminarán. Sus créditos, autorizaciones y límites no cambian, y puede reanudarla en cualquier momento.',
    askAllText:
      'Ninguna aplicación podrá gastar sus créditos a partir de la próxima solicitud, y las solicitudes en curso terminarán. Sus créditos, autorizaciones y límites no cambian, y puede reanudarlas en cualquier momento.',
    appStoppedText: 'No puede gastar sus créditos; otras aplicaciones sí.',
    allStoppedText: 'Ninguna aplicación puede gastar sus créditos.',
    resume: 'Puede reanudar en su cuenta, donde le pediremos que confirme que es usted.',
    stopApp: 'Detener esta aplicación',
    stopAll: 'Detener todas las aplicaciones',
    limits: 'Ver sus límites',
    expired: 'Este enlace ha caducado. Inicie sesión en su cuenta para detener aplicaciones.',
  },
  revoke: {
    pageTitle: 'Revocar una clave',
    ask: '¿Revocar esta clave?',
    revoked: 'Clave revocada',
    askText:
      '{app} ya no podrá gastar sus créditos con ella a partir de la próxima solicitud. Esta acción no se puede deshacer. Al iniciar sesión allí de nuevo se crea una clave nueva.',
    askThisText:
      'La aplicación ya no podrá gastar sus créditos con ella a partir de la próxima solicitud. Esta acción no se puede deshacer. Al iniciar sesión allí de nuevo se crea una clave nueva.',
    revokedText: 'La clave terminada en {last4} ya no funciona.',
    app: 'Aplicación',
    key: 'Clave',
    revoke: 'Revocar clave',
    activity: 'Ver su actividad',
    expired: 'Este enlace ha caducado. Inicie sesión en su cuenta para revocar la clave.',
  },
  undo: {
    pageTitle: 'Deshacer un cambio',
    ask: '¿Deshacer el cambio?',
    undone: 'Cambio deshecho',
    askText:
      'Su cuenta recupera la dirección {email}. Se cierra la sesión en todos los dispositivos y se eliminan las llaves de acceso y claves añadidas desde el cambio.',
    undoneText:
      'Su cuenta vuelve a tener la dirección {email}. Se ha cerrado la sesión en todos los dispositivos.',
    undo: 'Deshacer el cambio',
    expired: 'Este enlace ha caducado o ya se usó. Póngase en contacto con el servicio.',
  },
  unsubscribe: {
    pageTitle: 'Darse de baja',
    ask: '¿Darse de baja?',
    ended: 'Se ha dado de baja',
    askText: {
      limits: 'Dejará de recibir correos al 50, 80 y 100 % de sus límites y créditos.',
      unusual: 'Dejará de recibir correos sobre gastos inusuales.',
      weekly: 'Dejará de recibir el resumen semanal.',
      alerts: 'Dejará de recibir alertas sobre las aplicaciones de su equipo.',
    },
    endedText: {
      limits: 'Ya no recibe correos al 50, 80 y 100 % de sus límites y créditos.',
      unusual: 'Ya no recibe correos sobre gastos inusuales.',
      weekly: 'Ya no recibe el resumen semanal.',
      alerts: 'Ya no recibe alertas sobre las aplicaciones de su equipo.',
    },
    again: 'Puede volver a activarlos en cualquier momento en su cuenta.',
    againForTeam: 'Puede volver a activarlas en cualquier momento en la página Equipo de una aplicación.',
    unsubscribe: 'Darse de baja',
    dashboard: 'Abrir el panel de partner',
    choose: 'Elegir qué correos recibe',
    expired: 'Este enlace no funciona. Desactive los correos en su cuenta.',
  },
  device: {
    pageTitle: 'Conectar un dispositivo',
    title: 'Conectar un dispositivo',
    enter: 'Introduzca el código que muestra su terminal o dispositivo.',
    check: 'Compruebe que su terminal o dispositivo muestra exactamente este código.',
    warning:
      'Continúe solo si usted mismo inició esto. Nunca enviamos a nadie un código ni un enlace a esta página.',
    notWaiting:
      'Ningún dispositivo espera este código. Compruébelo o empiece de nuevo en el dispositivo para obtener otro.',
    ask: '¿Conectar {app}?',
    askText:
      'El dispositivo que muestra este código recibe una clave para gastar los créditos que compre en {app} o que le permita usar. No ve su correo electrónico ni sus otras aplicaciones.',
    code: 'Código en el dispositivo',
    started: 'Iniciado',
    signedInAs: 'Sesión iniciada como',
    elsewhere: 'Se inició en una red distinta de la suya.',
    ownDevice:
      '¿Es un dispositivo que tiene delante o su propio servidor? Si alguien le envió el código, rechácelo: esa persona obtendría la clave.',
    connect: 'Conectar dispositivo',
    refuse: 'Rechazar',
    connected: 'Dispositivo conectado',
    connectedText:
      'Vuelva a su dispositivo: {app} continúa allí en unos segundos. Puede cerrar la sesión del dispositivo en su cuenta en cualquier momento.',
    devices: 'Ver sus dispositivos',
    refused: 'Rechazado',
    refusedText: 'El dispositivo no recibe ninguna clave. Puede cerrar esta página.',
    account: 'Abrir su cuenta',
  },
  redeem: {
    pageTitle: 'Canjear un regalo',
    gift: {
      one: 'Un regalo para usted: {count} crédito de regalo',
      many: 'Un regalo para usted: {count} de créditos de regalo',
      other: 'Un regalo para usted: {count} créditos de regalo',
    },
    added: {
      one: '{count} crédito de regalo añadido',
      many: '{count} de créditos de regalo añadidos',
      other: '{count} créditos de regalo añadidos',
    },
    giftText: 'Puede usarlos en {app}. No hay que pagar nada.',
    giftTextAnyApp: 'Puede usarlos en cualquier aplicación a la que se lo permita. No hay que pagar nada.',
    addedText: 'Ya puede usarlos en {app}.',
    addedTextAnyApp: 'Puede usarlos en cualquier aplicación a la que se lo permita.',
    account: 'Cuenta',
    accept: {
      one: 'Aceptar {count} crédito',
      many: 'Aceptar {count} de créditos',
      other: 'Aceptar {count} créditos',
    },
    credits: 'Ver sus créditos',
    impossible: 'Este regalo no se puede canjear',
    signedInAs: 'Ha iniciado sesión como {email}.',
    openAccount: 'Abrir su cuenta',
  },
  authorize: {
    pageTitle: 'Iniciar sesión',
    title: 'Iniciar sesión en {app}',
    text: '{app} recibe una clave para gastar los créditos que compre en ella o que le permita usar. No ve su correo electrónico ni sus otras aplicaciones.',
    signedInAs: 'Sesión iniciada como',
    returnTo: 'Volverá a',
    cancel: 'Cancelar',
    impossible: 'No se puede continuar el inicio de sesión',
    impossibleText: 'La aplicación que le envió aquí hizo una solicitud no válida:',
  },
};
