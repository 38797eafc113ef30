import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: {
    one: '{count} kredyt',
    few: '{count} kredyty',
    many: '{count} kredytów',
    other: '{count} kredytu',
  },
  less: 'mniej niż {amount}',
  buyCredits: 'Kup kredyty',
  showActivity: 'Pokaż aktywność',
  links: {
    stop: 'Zabroń wszystkim aplikacjom wydawania moich kredytów',
    stopApp: 'Zabroń tej aplikacji lub wszystkim wydawania moich kredytów',
    unsubscribe: 'Zrezygnuj z tych e-maili',
  },
  goods: {
    one: '{count} kredyt {brand}',
    few: '{count} kredyty {brand}',
    many: '{count} kredytów {brand}',
    other: '{count} kredytu {brand}',
  },
  bonusGoods: {
    one: '{count} kredyt bonusowy',
    few: '{count} kredyty bonusowe',
    many: '{count} kredytów bonusowych',
    other: '{count} kredytu bonusowego',
  },
  receipt: {
    pageTitle: 'Potwierdzenie',
    title: 'Twoje potwierdzenie od {brand}: {paid}',
    intro: 'Dziękujemy. Płatność została zakończona: {credits} dla {app}.',
    topUpTitle: 'Twoje automatyczne doładowanie: {paid}',
    topUpIntro: {
      one: 'Kredyty się kończyły, więc dodano {count} kredyt przy użyciu zapisanej karty. Aplikacje wydają go w ramach zgody, której im udzielisz. Automatyczne doładowanie możesz zmienić lub wyłączyć na swoim koncie, w sekcji „Billing”.',
      few: 'Kredyty się kończyły, więc dodano {count} kredyty przy użyciu zapisanej karty. Aplikacje wydają je w ramach zgody, której im udzielisz. Automatyczne doładowanie możesz zmienić lub wyłączyć na swoim koncie, w sekcji „Billing”.',
      many: 'Kredyty się kończyły, więc dodano {count} kredytów przy użyciu zapisanej karty. Aplikacje wydają je w ramach zgody, której im udzielisz. Automatyczne doładowanie możesz zmienić lub wyłączyć na swoim koncie, w sekcji „Billing”.',
      other:
        'Kredyty się kończyły, więc dodano {count} kredytu przy użyciu zapisanej karty. Aplikacje wydają je w ramach zgody, której im udzielisz. Automatyczne doładowanie możesz zmienić lub wyłączyć na swoim koncie, w sekcji „Billing”.',
    },
    unnamedApp: 'aplikacji korzystającej z {brand}',
    autoTopUp: 'Automatyczne doładowanie',
    number: 'Potwierdzenie',
    date: 'Data',
    app: 'Miejsce zakupu',
    buyer: 'Konto',
    credits: 'Kredyty',
    bonus: 'Kredyty bonusowe (kod {code})',
    rate: 'Kurs wymiany',
    paid: 'Zapłacono',
    tax: 'W tym podatek',
    refunded: 'Zwrócono',
    link: 'Otwórz lub wydrukuj to potwierdzenie',
    invoiceLink: 'Twoja faktura',
    back: 'Konto',
    print: 'Drukuj',
    printNote: 'Kredyty nie wygasają. 100 kredytów odpowiada użyciu o wartości 1 dolara amerykańskiego.',
    statuses: {
      paid: 'Zapłacono',
      partly_refunded: 'Częściowo zwrócono',
      refunded: 'Zwrócono',
      disputed: 'Zakwestionowano',
    },
    note: 'Otrzymujesz tę wiadomość, ponieważ kupiono kredyty na Twoim koncie {brand}.',
    documents: {
      invoice: 'Faktura',
      credit_note: 'Faktura korygująca',
      cancellation: 'Anulowanie',
    },
    createInvoice: 'Utwórz fakturę',
    billingDetails: 'Dane do faktury',
    enterDetails: 'Podaj dane do faktury',
    invoiceFailed: 'Nie udało się utworzyć faktury. Spróbuj ponownie.',
  },
  login: {
    subject: '{code} to Twój kod do {name}',
    reason: 'Ten kod został zamówiony przez {app}, aby umożliwić Ci zalogowanie się na konto {brand}.',
    reasonUnnamed:
      'Ten kod został zamówiony przez aplikację korzystającą z {brand}, aby umożliwić Ci zalogowanie się na konto {brand}.',
    life: 'Działa jeden raz, w ciągu najbliższych 10 minut.',
    never: 'Nigdy nie poprosimy Cię o ten kod przez telefon, czat ani e-mail.',
    ignore: 'Jeśli to nie Ty, możesz zignorować tę wiadomość.',
    allowanceSubject: {
      one: '{code} pozwala {app} wydać maks. {count} z Twoich kredytów',
      few: '{code} pozwala {app} wydać maks. {count} z Twoich kredytów',
      many: '{code} pozwala {app} wydać maks. {count} z Twoich kredytów',
      other: '{code} pozwala {app} wydać maks. {count} z Twoich kredytów',
    },
    allowanceSubjectUnnamed: {
      one: '{code} pozwala aplikacji wydać maks. {count} z Twoich kredytów',
      few: '{code} pozwala aplikacji wydać maks. {count} z Twoich kredytów',
      many: '{code} pozwala aplikacji wydać maks. {count} z Twoich kredytów',
      other: '{code} pozwala aplikacji wydać maks. {count} z Twoich kredytów',
    },
    allowanceReason: {
      one: 'Wpisz ten kod tylko wtedy, gdy {app} może wydać maks. {count} kredyt kupiony gdzie indziej.',
      few: 'Wpisz ten kod tylko wtedy, gdy {app} może wydać maks. {count} kredyty kupione gdzie indziej.',
      many: 'Wpisz ten kod tylko wtedy, gdy {app} może wydać maks. {count} kredytów kupionych gdzie indziej.',
      other: 'Wpisz ten kod tylko wtedy, gdy {app} może wydać maks. {count} kredytu kupionego gdzie indziej.',
    },
    allowanceReasonUnnamed: {
      one: 'Wpisz ten kod tylko wtedy, gdy aplikacja, która o niego prosi, może wydać maks. {count} kredyt kupiony gdzie indziej.',
      few: 'Wpisz ten kod tylko wtedy, gdy aplikacja, która o niego prosi, może wydać maks. {count} kredyty kupione gdzie indziej.',
      many: 'Wpisz ten kod tylko wtedy, gdy aplikacja, która o niego prosi, może wydać maks. {count} kredytów kupionych gdzie indziej.',
      other:
        'Wpisz ten kod tylko wtedy, gdy aplikacja, która o niego prosi, może wydać maks. {count} kredytu kupionego gdzie indziej.',
    },
    allowanceIgnore: 'Jeśli tego nie chcesz, zignoruj tę wiadomość. Bez kodu nic się nie zmieni.',
    changeSubject: '{code} potwierdza zmianę na Twoim koncie {brand}',
    changeReason:
      'Ktoś zalogowany na Twoje konto {brand} zamierza coś na nim zmienić. Ten kod potwierdza zmianę; nie służy do logowania.',
    changeNever:
      'Wpisz go tylko na stronie, na której wprowadzasz zmianę. Nigdy nie poprosimy o niego przez telefon, czat ani e-mail.',
    changeIgnore:
      'Jeśli to nie Ty, nie przekazuj kodu. Zaloguj się do {brand} i wyloguj pozostałe urządzenia.',
    newEmailSubject: '{code} potwierdza ten adres e-mail dla {brand}',
    newEmailReason:
      'Ktoś chce używać tego adresu e-mail na swoim koncie {brand}. Ten kod potwierdza, że adres należy do tej osoby; nie służy do logowania.',
    newEmailIgnore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Bez kodu nic się nie zmieni.',
    oldEmailSubject: '{code} zmienia adres e-mail Twojego konta {brand}',
    oldEmailReason:
      'Ktoś zalogowany na Twoje konto {brand} chce zmienić jego adres e-mail na {email}. Potem ten adres nie będzie już służył do logowania.',
  },
  wrongCodes: {
    subject: 'Błędne kody logowania do Twojego konta {brand}',
    text: 'Dla Twojego konta wpisano błędne kody logowania ({number}) w przeglądarkach lub aplikacjach, których nie rozpoznajemy. Kody zamówiono między {from} a {to}. Błędny kod nie daje dostępu.',
    mistyped: 'Jeśli kod został przez Ciebie wpisany z błędem, możesz zignorować tę wiadomość.',
    safe: 'Jeśli to nie Ty, Twoje konto jest nadal bezpieczne: kody wysyłamy tylko na ten adres e-mail. Nigdy nikomu ich nie podawaj. Możesz nadal korzystać z konta, a w przeglądarce, w której już się logowano, takie próby Cię nie dotyczą.',
    devices: 'Dla pewności otwórz „Devices” na swoim koncie i wyloguj urządzenia, których nie znasz.',
  },
  lowBalance: {
    subject: 'Twoje kredyty {brand} się kończą',
    text: {
      one: 'Pozostał Ci {count} kredyt, mniej niż {threshold}, przy których chcesz otrzymać powiadomienie. Gdy się skończą, aplikacje nie będą już mogły wysyłać żądań w Twoim imieniu.',
      few: 'Pozostały Ci {count} kredyty, mniej niż {threshold}, przy których chcesz otrzymać powiadomienie. Gdy się skończą, aplikacje nie będą już mogły wysyłać żądań w Twoim imieniu.',
      many: 'Pozostało Ci {count} kredytów, mniej niż {threshold}, przy których chcesz otrzymać powiadomienie. Gdy się skończą, aplikacje nie będą już mogły wysyłać żądań w Twoim imieniu.',
      other:
        'Pozostało Ci {count} kredytu, mniej niż {threshold}, przy których chcesz otrzymać powiadomienie. Gdy się skończą, aplikacje nie będą już mogły wysyłać żądań w Twoim imieniu.',
    },
    note: 'Wysyłamy tę wiadomość najwyżej raz dziennie i tylko wtedy, gdy liczba kredytów wcześniej znów przekroczyła tę wartość.',
    change: 'Zmień lub wyłącz tę wiadomość',
  },
  topUp: {
    confirmSubject: 'Potwierdź doładowanie na kwotę {amount}',
    confirmText:
      'Twoje kredyty się kończą. Bank prosi o potwierdzenie płatności {amount} kartą {card}, zanim zostanie wykonana.',
    confirmUntil:
      'Potwierdź ją do {time}. W przeciwnym razie płatność zostanie anulowana, a automatyczne doładowanie wyłączone.',
    confirm: 'Potwierdź płatność',
    because: 'Otrzymujesz tę wiadomość, ponieważ na Twoim koncie {brand} włączono automatyczne doładowanie.',
    usedUp: 'Gdy kredyty się skończą, aplikacje nie będą już mogły wysyłać żądań w Twoim imieniu.',
    review: 'Sprawdź automatyczne doładowanie',
    titles: {
      declined: 'Automatyczne doładowanie wyłączone: bank odrzucił płatność',
      unknown_card: 'Automatyczne doładowanie wyłączone: karta została usunięta',
      expired_card: 'Automatyczne doładowanie wyłączone: karta straciła ważność',
      insufficient_funds: 'Automatyczne doładowanie wyłączone: na karcie nie ma wystarczających środków',
      no_tax_address: 'Automatyczne doładowanie wyłączone: brakuje adresu rozliczeniowego',
      not_allowed: 'Automatyczne doładowanie wyłączone: bank na nie nie zezwolił',
      not_confirmed: 'Automatyczne doładowanie wyłączone: płatność nie została potwierdzona',
      reversed: 'Automatyczne doładowanie wyłączone: płatność została zwrócona',
      user: 'Automatyczne doładowanie wyłączone: wyłączono je na Twoje życzenie',
    },
    user: 'Twoje kredyty nie są doładowywane automatycznie.',
    notAllowed:
      'Bank nie zezwala na automatyczne płatności kartą {card}. Wybierz inną kartę lub skontaktuj się z bankiem.',
    unknownCard:
      'Karta {card} nie jest już zapisana. Aby kontynuować, włącz automatyczne doładowanie z inną kartą.',
    reversed:
      'Płatność została zwrócona lub zakwestionowana, więc nie będzie kolejnych płatności. Możesz włączyć automatyczne doładowanie ponownie w każdej chwili.',
    noTaxAddress:
      'Nie udało się obliczyć podatku od płatności {amount} kartą {card}. Kup kredyty jeden raz, podając adres, a potem ponownie włącz automatyczne doładowanie.',
    notConfirmed:
      'Płatność {amount} kartą {card} nie została potwierdzona na czas, więc ją anulowano. Nic nie zostało pobrane.',
    declinedByCard:
      'Bank odrzucił płatność {amount} kartą {card}. Nic nie zostało pobrane. Aby kontynuować, ponownie włącz automatyczne doładowanie lub wybierz inną kartę.',
    declined:
      'Bank odrzucił płatność {amount} kartą {card} i nie podał powodu, który możemy pokazać. Nic nie zostało pobrane. Aby kontynuować, wybierz inną kartę lub skontaktuj się z bankiem, a potem ponownie włącz automatyczne doładowanie.',
  },
  correction: {
    subject: {
      one: 'Zwróciliśmy {count} kredyt',
      few: 'Zwróciliśmy {count} kredyty',
      many: 'Zwróciliśmy {count} kredytów',
      other: 'Zwróciliśmy {count} kredytu',
    },
    text: {
      one: 'Naliczyliśmy za dużo za jedno z Twoich żądań i zwróciliśmy {credits} na Twoje konto.',
      few: 'Naliczyliśmy za dużo za {count} Twoje żądania i zwróciliśmy {credits} na Twoje konto.',
      many: 'Naliczyliśmy za dużo za {count} Twoich żądań i zwróciliśmy {credits} na Twoje konto.',
      other: 'Naliczyliśmy za dużo za {count} Twojego żądania i zwróciliśmy {credits} na Twoje konto.',
    },
    reason: 'Powód: {reason}',
    link: 'Pokaż żądania',
    note: 'Każde potwierdzenie pokazuje zwrot od {brand}. Nie musisz nic robić.',
  },
  warning: {
    because: {
      limits:
        'Otrzymujesz tę wiadomość, ponieważ poproszono {brand} o e-maile przy 50, 80 i 100% limitów i kupionych kredytów.',
      unusual:
        'Otrzymujesz tę wiadomość, ponieważ poproszono {brand} o e-maile o nietypowych wydatkach, najwyżej raz dziennie.',
      weekly:
        'Otrzymujesz tę wiadomość, ponieważ poproszono {brand} o podsumowanie każdego tygodnia korzystania z aplikacji.',
    },
    choose: 'Wybierz, które e-maile otrzymujesz',
    showLimits: 'Pokaż limity',
    anApp: 'aplikacja',
    limit: {
      day: {
        app: 'Twój dzienny limit, {app}',
        all: 'Twój dzienny limit dla wszystkich aplikacji',
        partner: 'dzienny limit ustalony przez aplikację ({app})',
      },
      week: {
        app: 'Twój tygodniowy limit, {app}',
        all: 'Twój tygodniowy limit dla wszystkich aplikacji',
        partner: 'tygodniowy limit ustalony przez aplikację ({app})',
      },
      month: {
        app: 'Twój miesięczny limit, {app}',
        all: 'Twój miesięczny limit dla wszystkich aplikacji',
        partner: 'miesięczny limit ustalony przez aplikację ({app})',
      },
    },
    limitReached: 'Limit osiągnięty: {limit}',
    limitUsed: 'Wykorzystano {percent}: {limit}',
    limitSpent: {
      one: 'Wydano {used} z {count} kredytu ({limit}).',
      few: 'Wydano {used} z {count} kredytów ({limit}).',
      many: 'Wydano {used} z {count} kredytów ({limit}).',
      other: 'Wydano {used} z {count} kredytu ({limit}).',
    },
    tooSmall: 'Pozostała kwota nie wystarczy na kolejne żądanie.',
    resets: 'Limit odnowi się {time}.',
    refusedOwn: 'Żądania są odrzucane do odnowienia limitu {time} lub do czasu, aż go podniesiesz.',
    refusedOfApp: 'Żądania są odrzucane do odnowienia limitu {time}. Tylko aplikacja może go zmienić.',
    usedUp: 'Twoje kredyty zostały wykorzystane',
    usedUpText:
      'Pozostała kwota nie wystarczy na kolejne żądanie, więc aplikacje nie mogą już ich wysyłać w Twoim imieniu.',
    spentPercent: 'Wykorzystano {percent} Twoich kredytów',
    sincePurchase: {
      one: 'Od ostatniego zakupu {date} wydano {used} z {count} kredytu, który był wtedy na koncie.',
      few: 'Od ostatniego zakupu {date} wydano {used} z {count} kredytów, które były wtedy na koncie.',
      many: 'Od ostatniego zakupu {date} wydano {used} z {count} kredytów, które były wtedy na koncie.',
      other: 'Od ostatniego zakupu {date} wydano {used} z {count} kredytu, które było wtedy na koncie.',
    },
    left: {
      one: 'Pozostał Ci {count} kredyt.',
      few: 'Pozostały Ci {count} kredyty.',
      many: 'Pozostało Ci {count} kredytów.',
      other: 'Pozostało Ci {count} kredytu.',
    },
    unusualSubject: {
      one: 'Dzisiaj wydano {count} kredyt',
      few: 'Dzisiaj wydano {count} kredyty',
      many: 'Dzisiaj wydano {count} kredytów',
      other: 'Dzisiaj wydano {count} kredytu',
    },
    unusualText: {
      one: 'Dzisiaj wydano {count} kredyt; w większość dni wydajesz {usual}.',
      few: 'Dzisiaj wydano {count} kredyty; w większość dni wydajesz {usual}.',
      many: 'Dzisiaj wydano {count} kredytów; w większość dni wydajesz {usual}.',
      other: 'Dzisiaj wydano {count} kredytu; w większość dni wydajesz {usual}.',
    },
    unusualRange: 'od {from} do {to}',
    unusualDay:
      'Dzisiaj jest {date} (UTC). Porównaliśmy ten dzień z dniami z ostatnich czterech tygodni, w których korzystano z aplikacji.',
    unusualAdvice:
      'Jeśli to Ty, nie musisz nic robić. W przeciwnym razie zatrzymaj wszystkie aplikacje linkiem poniżej i unieważnij klucze aplikacji, których nie rozpoznajesz.',
    weekSubject: {
      one: 'Twój tydzień: wydano {count} kredyt',
      few: 'Twój tydzień: wydano {count} kredyty',
      many: 'Twój tydzień: wydano {count} kredytów',
      other: 'Twój tydzień: wydano {count} kredytu',
    },
    weekText: {
      one: 'Od {from} do {to} wydano {count} kredyt ({comparison}).',
      few: 'Od {from} do {to} wydano {count} kredyty ({comparison}).',
      many: 'Od {from} do {to} wydano {count} kredytów ({comparison}).',
      other: 'Od {from} do {to} wydano {count} kredytu ({comparison}).',
    },
    weekApp: {
      one: '{app}: {count} kredyt ({comparison})',
      few: '{app}: {count} kredyty ({comparison})',
      many: '{app}: {count} kredytów ({comparison})',
      other: '{app}: {count} kredytu ({comparison})',
    },
    nothingBefore: 'nic w poprzednim tygodniu',
    sameAsBefore: 'tyle samo co w poprzednim tygodniu',
    moreThanBefore: 'o {amount} więcej niż w poprzednim tygodniu',
    fewerThanBefore: 'o {amount} mniej niż w poprzednim tygodniu',
    unnamedApps: 'Aplikacje, których nazwy nie zostały zatwierdzone',
    unnamedApp: 'Aplikacja, której nazwa nie została zatwierdzona,',
    willRaise: '{app} podniesie prowizję z {from} do {to} dnia {date} (UTC).',
    raised: '{app} ma od {date} (UTC) wyższą prowizję: {to} zamiast {from}.',
  },
};
