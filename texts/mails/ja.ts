import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  credits: { other: '{count} クレジット' },
  less: '{amount} 未満',
  buyCredits: 'クレジットを購入',
  showActivity: '利用履歴を表示',
  links: {
    stop: 'すべてのアプリによるクレジットの使用を停止',
    stopApp: 'このアプリまたはすべてのアプリによるクレジットの使用を停止',
    unsubscribe: 'このメールの配信を停止',
  },
  goods: { other: '{brand} {count} クレジット' },
  bonusGoods: { other: '{count} ボーナスクレジット' },
  receipt: {
    pageTitle: '領収書',
    title: '{brand} の領収書：{paid}',
    intro: 'ありがとうございます。お支払いが完了しました：{credits}（{app}）。',
    topUpTitle: '自動チャージ：{paid}',
    topUpIntro: {
      other:
        'クレジットの残高が少なくなったため、保存済みのカードで {count} クレジットを追加しました。各アプリは、お客様が与えた利用許可の範囲内で使用します。自動チャージは、アカウントの「Billing」で変更またはオフにできます。',
    },
    unnamedApp: '{brand} を使用するアプリ',
    autoTopUp: '自動チャージ',
    number: '領収書',
    date: '日付',
    app: '購入元',
    buyer: 'アカウント',
    credits: 'クレジット',
    bonus: 'ボーナスクレジット（コード {code}）',
    rate: '為替レート',
    paid: 'お支払い額',
    tax: 'うち税額',
    refunded: '返金額',
    link: '領収書を開く・印刷する',
    invoiceLink: '請求書',
    back: 'アカウント',
    print: '印刷',
    printNote: 'クレジットに有効期限はありません。100 クレジットは 1 米ドル分の利用に相当します。',
    statuses: {
      paid: '支払い済み',
      partly_refunded: '一部返金済み',
      refunded: '返金済み',
      disputed: '異議申し立て中',
    },
    note: 'このメールは、{brand} アカウントでクレジットを購入されたためお送りしています。',
    documents: {
      invoice: '請求書',
      credit_note: 'クレジットノート',
      cancellation: '取消書',
    },
    createInvoice: '請求書を作成',
    billingDetails: '請求先情報',
    enterDetails: '請求書の請求先情報を入力',
    invoiceFailed: '請求書を作成できませんでした。もう一度お試しください。',
  },
  login: {
    subject: '{code} は {name} の確認コードです',
    reason: '{brand} アカウントへのログイン用に、{app} がこのコードをリクエストしました。',
    reasonUnnamed:
      '{brand} アカウントへのログイン用に、{brand} を使用するアプリがこのコードをリクエストしました。',
    life: '10分以内に1回のみ使用できます。',
    never: '電話、チャット、メールでこのコードをお尋ねすることは決してありません。',
    ignore: 'お心当たりがない場合は、このメールを無視してください。',
    allowanceSubject: { other: '{code} により {app} は最大 {count} クレジットを使用できます' },
    allowanceSubjectUnnamed: { other: '{code} によりアプリは最大 {count} クレジットを使用できます' },
    allowanceReason: {
      other:
        '{app} が、他で購入したクレジットを最大 {count} 使用してもよい場合にのみ、このコードを入力してください。',
    },
    allowanceReasonUnnamed: {
      other:
        'コードを求めているアプリが、他で購入したクレジットを最大 {count} 使用してもよい場合にのみ、このコードを入力してください。',
    },
    allowanceIgnore: '希望しない場合は、このメールを無視してください。コードがなければ何も変更されません。',
    changeSubject: '{code} は {brand} アカウントの変更を確認するコードです',
    changeReason:
      'お客様の {brand} アカウントにログインしている方が、変更を行おうとしています。このコードは変更の確認用であり、ログインには使用できません。',
    changeNever:
      '変更を行うページでのみ入力してください。電話、チャット、メールでお尋ねすることは決してありません。',
    changeIgnore:
      'お心当たりがない場合は、コードを他人に渡さないでください。{brand} にログインし、他のデバイスをログアウトしてください。',
    newEmailSubject: '{code} は {brand} のメールアドレス確認コードです',
    newEmailReason:
      'このメールアドレスを {brand} アカウントで使用しようとしている方がいます。このコードは所有者の確認用であり、ログインには使用できません。',
    newEmailIgnore:
      'お心当たりがない場合は、このメールを無視してください。コードがなければ何も変更されません。',
    oldEmailSubject: '{code} は {brand} アカウントのメールアドレスを変更するコードです',
    oldEmailReason:
      'お客様の {brand} アカウントにログインしている方が、メールアドレスを {email} に変更しようとしています。変更後、このアドレスではログインできなくなります。',
  },
  wrongCodes: {
    subject: '{brand} アカウントで誤ったログインコードが入力されました',
    text: '認識されていないブラウザまたはアプリから、お客様のアカウントに誤ったログインコードが {number} 回入力されました。コードは{from}から{to}の間にリクエストされました。誤ったコードではアクセスできません。',
    mistyped: 'コードを打ち間違えた場合は、このメールを無視してください。',
    safe: 'お心当たりがない場合も、アカウントは安全です。コードはこのメールアドレスにのみ送信されます。コードを誰にも渡さないでください。アカウントは引き続きご利用いただけます。以前ログインしたブラウザでは、このような試行の影響はありません。',
    devices: '念のため、アカウントの「Devices」を開き、心当たりのないデバイスをログアウトしてください。',
  },
  lowBalance: {
    subject: '{brand} のクレジットが残りわずかです',
    text: {
      other:
        '残りは {count} クレジットで、通知の設定値である {threshold} を下回りました。使い切ると、アプリはお客様のリクエストを送信できなくなります。',
    },
    note: 'このメールは1日1回まで、クレジットが再び設定値を上回った後にのみ送信されます。',
    change: 'このメールを変更またはオフにする',
  },
  topUp: {
    confirmSubject: '{amount} のチャージを確認してください',
    confirmText:
      'クレジットの残高が少なくなっています。{card} による {amount} のお支払いを実行する前に、銀行が確認を求めています。',
    confirmUntil:
      '{time} までに確認してください。確認がない場合、お支払いはキャンセルされ、自動チャージはオフになります。',
    confirm: 'お支払いを確認',
    because: 'このメールは、{brand} アカウントで自動チャージをオンにされたためお送りしています。',
    usedUp: 'クレジットを使い切ると、アプリはお客様のリクエストを送信できなくなります。',
    review: '自動チャージを確認',
    titles: {
      declined: '自動チャージはオフです：銀行がお支払いを拒否しました',
      unknown_card: '自動チャージはオフです：カードが削除されました',
      expired_card: '自動チャージはオフです：カードの有効期限が切れています',
      insufficient_funds: '自動チャージはオフです：カードの残高が不足しています',
      no_tax_address: '自動チャージはオフです：請求先住所がありません',
      not_allowed: '自動チャージはオフです：銀行が許可しませんでした',
      not_confirmed: '自動チャージはオフです：お支払いが確認されませんでした',
      reversed: '自動チャージはオフです：お支払いが取り消されました',
      user: '自動チャージはオフです：お客様がオフにしました',
    },
    user: 'クレジットは自動的にチャージされません。',
    notAllowed:
      '銀行が {card} による自動支払いを許可していません。別のカードを選択するか、銀行にお問い合わせください。',
    unknownCard: '{card} は保存されていません。続けるには、別のカードで自動チャージをオンにしてください。',
    reversed:
      'お支払いが返金または異議申し立ての対象となったため、以後のお支払いは行われません。いつでも再びオンにできます。',
    noTaxAddress:
      '{card} による {amount} のお支払いの税額を計算できませんでした。住所を入力してクレジットを一度購入し、自動チャージを再びオンにしてください。',
    notConfirmed:
      '{card} による {amount} のお支払いが期限内に確認されなかったため、キャンセルされました。請求は行われていません。',
    declinedByCard:
      '銀行が {card} による {amount} のお支払いを拒否しました。請求は行われていません。続けるには、自動チャージを再びオンにするか、別のカードを選択してください。',
    declined:
      '銀行が {card} による {amount} のお支払いを拒否しましたが、表示できる理由はありません。請求は行われていません。続けるには、別のカードを選択するか銀行にお問い合わせのうえ、自動チャージを再びオンにしてください。',
  },
  correction: {
    subject: { other: '{count} クレジットを返還しました' },
    text: { other: '{count} 件のリクエストで過剰に請求していたため、{credits}をアカウントに返還しました。' },
    reason: '理由：{reason}',
    link: 'リクエストを表示',
    note: '各明細に {brand} による返還が表示されます。お手続きは不要です。',
  },
  warning: {
    because: {
      limits:
        'このメールは、上限と購入分の50%、80%、100%に達したときの通知を {brand} に希望されたためお送りしています。',
      unusual:
        'このメールは、通常と異なる利用の通知（1日1回まで）を {brand} に希望されたためお送りしています。',
      weekly: 'このメールは、アプリを利用した週のレポートを {brand} に希望されたためお送りしています。',
    },
    choose: '受け取るメールを選択',
    showLimits: '上限を表示',
    anApp: 'アプリ',
    limit: {
      day: {
        app: '{app} の1日の上限',
        all: 'すべてのアプリの1日の上限',
        partner: '{app} が設定した1日の上限',
      },
      week: {
        app: '{app} の1週間の上限',
        all: 'すべてのアプリの1週間の上限',
        partner: '{app} が設定した1週間の上限',
      },
      month: {
        app: '{app} の1か月の上限',
        all: 'すべてのアプリの1か月の上限',
        partner: '{app} が設定した1か月の上限',
      },
    },
    limitReached: '{limit}に達しました',
    limitUsed: '{limit}の {percent} を使用しました',
    limitSpent: { other: '{limit}である {count} クレジットのうち {used} を使用しました。' },
    tooSmall: '残りは次のリクエストには不足しています。',
    resets: '{time} にリセットされます。',
    refusedOwn: '上限が {time} にリセットされるか、お客様が引き上げるまで、リクエストは拒否されます。',
    refusedOfApp:
      '上限が {time} にリセットされるまで、リクエストは拒否されます。変更できるのはアプリのみです。',
    usedUp: 'クレジットを使い切りました',
    usedUpText: '残りは次のリクエストには不足しているため、アプリはこれ以上リクエストを送信できません。',
    spentPercent: 'クレジットの {percent} を使用しました',
    sincePurchase: {
      other: '{date} の前回のご購入以降、当時の {count} クレジットのうち {used} を使用しました。',
    },
    left: { other: '残りは {count} クレジットです。' },
    unusualSubject: { other: '本日 {count} クレジットを使用しました' },
    unusualText: { other: '本日 {count} クレジットを使用しました。通常は1日あたり {usual} です。' },
    unusualRange: '{from}～{to}',
    unusualDay: '本日は {date}（UTC）です。過去4週間でアプリを利用した日と比較しました。',
    unusualAdvice:
      'ご自身による利用の場合、お手続きは不要です。そうでない場合は、下のリンクからすべてのアプリを停止し、心当たりのないアプリのキーを無効にしてください。',
    weekSubject: { other: '今週の利用：{count} クレジット' },
    weekText: { other: '{from}から{to}までに {count} クレジットを使用しました（{comparison}）。' },
    weekApp: { other: '{app}：{count} クレジット（{comparison}）' },
    nothingBefore: '前週の利用なし',
    sameAsBefore: '前週と同じ',
    moreThanBefore: '前週より {amount} 多い',
    fewerThanBefore: '前週より {amount} 少ない',
    unnamedApps: '名前が承認されていないアプリ',
    unnamedApp: '名前が承認されていないアプリ',
    willRaise: '{app} は {date}（UTC）に手数料を {from} から {to} に引き上げます。',
    raised: '{app} は {date}（UTC）に手数料を {from} から {to} に引き上げました。',
  },
};
