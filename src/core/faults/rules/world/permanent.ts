// What no repetition cures (T7) in other languages than English: money, keys and rights, names and parameters that are wrong.
// Plain spelling, see foldText.ts.
import type { Rule } from '../../rule.ts';
import { inEachLanguage } from '../../wordLists.ts';

export const worldPermanentRules: readonly Rule[] = [
  ...inEachLanguage({ id: 'quota.world', class: 'T7', detail: 'quota', confidence: 0.9 }, [
    [
      'de-nl',
      'guthaben, zahlung, rechnung, abonnement, tegoed, betaling, abrechnung',
      /guthaben[^\n]{0,20}(?:aufgebraucht|reicht nicht|nicht ausreich|zu niedrig|erschopft|leer)|(?:unzureichendes|kein|nicht genug|nicht genugend) guthaben|zahlung[^\n]{0,20}(?:erforderlich|fehlgeschlagen|uberfallig|ausstehend)|(?:offene|unbezahlte|uberfallige) rechnung|abonnement[^\n]{0,20}(?:abgelaufen|verlopen)|abrechnung[^\n]{0,25}(?:nicht|deaktiviert)|onvoldoende (?:tegoed|saldo)|tegoed[^\n]{0,15}op\b|betaling[^\n]{0,20}(?:vereist|mislukt)/,
    ],
    [
      'fr',
      'credit, solde, paiement, facturation, abonnement, recharg, impaye, facture',
      /credits?[^\n]{0,20}(?:epuise|insuffisant)|(?:plus de|pas assez de) credits?|solde[^\n]{0,15}(?:insuffisant|epuise|negatif)|paiement[^\n]{0,20}(?:requis|refuse|en retard|echoue)|factures? impayee?s?|recharg[^\n]{0,20}(?:compte|credit|solde)|abonnement[^\n]{0,20}expire|facturation[^\n]{0,25}(?:desactivee|non activee|requise)/,
    ],
    [
      'es-pt',
      'saldo, credito, pago, pagamento, facturacion, faturamento, suscripcion, assinatura, recargue, recarregue, factura, fatura',
      /saldo[^\n]{0,15}(?:insuficient|agotad|esgotad|negativ)|(?:sin|sem|no tiene|nao (?:ha|tem)) (?:saldo|creditos?)|creditos?[^\n]{0,20}(?:agotad|insuficient|esgotad|acabaram)|(?:pago|pagamento)[^\n]{0,20}(?:requerid|necessari|pendiente|pendente|rechazad|recusad|vencid|atrasad)|(?:suscripcion|assinatura)[^\n]{0,20}(?:vencid|expirad|caducad|expirou)|recar(?:gue|regue) (?:su|sua|a sua|la) (?:cuenta|conta)|(?:facturas?|faturas?) (?:pendiente|vencid|em atraso|impag)/,
    ],
    [
      'it',
      'credito, saldo, pagamento, abbonamento, fattur',
      /credit[oi][^\n]{0,20}(?:esaurit|insufficient)|saldo (?:insufficiente|esaurito|negativo)|pagamento[^\n]{0,20}(?:richiesto|scaduto|rifiutato|non riuscito)|abbonamento[^\n]{0,15}scadut|fattur[ae] (?:non pagat|scadut|insolut)/,
    ],
    [
      'ru-uk',
      'средств, задолженност, баланс, платежн, оплат, подписк, кредит, пополн, коштів, заборгован',
      /недостаточно (?:средств|кредит)|задолженност|(?:нулево|отрицательн|недостаточн)[а-я]* баланс|баланс[^\n]{0,15}(?:исчерпан|отрицател|недостаточ|нулев)|пополн[а-я]+ (?:[а-я]+ )?(?:счет|баланс)|(?:просрочен|требуется|ожидается|необходим)[а-я]*[^\n]{0,12}(?:оплат|платеж)|подписк[а-я]*[^\n]{0,15}(?:истек|закончил|неактивн)|кредит[а-я]*[^\n]{0,12}(?:исчерпан|закончил)|недостатньо коштів|заборгован/,
    ],
    [
      'pl-cs-tr',
      'srodk, saldo, platnosc, subskrypcj, kredit, platb, predplatn, bakiye, odeme, abonelik',
      /(?:brak|niewystarczajac[a-z]*) (?:srodk|kredyt)|saldo[^\n]{0,15}(?:niewystarcz|wyczerp)|platnosc[^\n]{0,20}(?:wymagana|zalegla|odrzuc)|subskrypcj[^\n]{0,15}wygas|kredit[^\n]{0,15}(?:vycerp|nedostat|yetersiz)|nedostatecn[a-z]* (?:kredit|zustatek)|platb[^\n]{0,15}(?:vyzadov|selhal)|predplatn[^\n]{0,15}vypr|yetersiz (?:bakiye|kredi)|bakiye[^\n]{0,12}(?:yetersiz|bitti)|odeme[^\n]{0,12}(?:gerek|basarisiz)|abonelik[^\n]{0,15}(?:sona|suresi)/,
    ],
    [
      'monthly',
      'monatlich, mensuel, mensual, mensal, mensile, месячн, 月間, 월간, 월별, 每月',
      /(?:monatlich|mensuel|mensual|mensal|mensile)[a-z]*[^\n]{0,40}(?:kontingent|quota|cuota|cota|limit|nachrichten)[^\n]{0,40}(?:erreicht|atteint|alcanz|ating|raggiunt|uberschr|depass|super|exced)|(?:kontingent|quota|cuota|cota|limite)[^\n]{0,20}(?:mensuel|mensual|mensal|mensile)|месячн[а-я]*[^\n]{0,30}(?:лимит|квот)|月間[^\n]{0,20}(?:上限|制限|クォータ)|(?:월간|월별)[^\n]{0,20}(?:한도|할당량)|每月[^\n]{0,16}(?:限额|限額|配额|配額|额度|額度|上限)/,
    ],
    [
      'ja',
      '残高, クレジット, 支払, お支払, 請求, プラン, 未払, 課金',
      /残高[^\n]{0,4}(?:不足|がありません|足り)|クレジット[^\n]{0,6}(?:不足|切れ|使い切|足り|がありません)|(?:お)?支払い?[^\n]{0,8}(?:必要|失敗|確認でき|期限)|未払い?|課金[^\n]{0,6}(?:必要|無効)|プラン[^\n]{0,8}(?:期限切れ|終了しました)/,
    ],
    [
      'ko',
      '잔액, 크레딧, 결제, 구독, 요금, 미납',
      /잔액(?:이)? ?(?:부족|없)|크레딧(?:이|을)? ?(?:부족|소진|모두 사용)|결제[^\n]{0,8}(?:필요|실패|수단|연체)|구독[^\n]{0,8}(?:만료|종료)|미납|요금[^\n]{0,6}연체/,
    ],
    [
      'zh-hant',
      '餘額, 欠費, 額度, 儲值, 付款, 帳單, 方案',
      /餘額(?:不足|不夠)|欠費|額度(?:不足|已用完|用完|用盡|已用盡)|請(?:先)?儲值|付款(?:失敗|逾期)|帳單[^\n]{0,6}(?:逾期|未付)|方案[^\n]{0,6}(?:到期|過期)/,
    ],
    [
      'zh',
      '余额, 余額, 资源包, 账单',
      /余[额額](?:不足|不够)|资源包[^\n]{0,10}(?:用完|耗尽|不足|无可用)|账单[^\n]{0,6}(?:逾期|未付)/,
    ],
    [
      'ar-hi-vi-id',
      'رصيد, शेष, so du, saldo tidak',
      /رصيد[^\n]{0,12}(?:غير كاف|نفد)|अपर्याप्त (?:शेष|क्रेडिट)|so du khong du|saldo tidak (?:cukup|mencukupi)/,
    ],
  ]),
  ...inEachLanguage({ id: 'permission.world', class: 'T7', detail: 'permission', confidence: 0.88 }, [
    [
      'de-nl',
      'schlussel, anmelde, anmeldung, zugriff, berechtigung, autorisiert, authentifizierung, toegang, sleutel, zugangsdaten, gesperrt',
      /schlussel[^\n]{0,30}(?:ungultig|abgelaufen|falsch|fehlt|widerrufen)|(?:ungultig|falsch|fehlend)[a-z]*[^\n]{0,12}(?:schlussel|anmeldedaten|zugangsdaten|token)|zugriff[^\n]{0,15}(?:verweigert|abgelehnt|nicht erlaubt)|nicht autorisiert|(?:keine|fehlende|unzureichende) berechtigung|anmeldung erforderlich|authentifizierung[^\n]{0,15}(?:fehlgeschlagen|erforderlich)|konto[^\n]{0,15}(?:gesperrt|deaktiviert)|toegang geweigerd|ongeldige? (?:api-)?sleutel/,
    ],
    [
      'fr',
      'cle api, cle d, jeton, acces, autorise, authentification, autorisation, compte, permission',
      /\bcle\b[^\n]{0,30}(?:invalide|expiree?|incorrecte?|manquante?|non valide|revoquee)|jeton[^\n]{0,20}(?:invalide|expire|manquant|non valide)|acces[^\n]{0,15}(?:refuse|interdit|non autorise)|non autorisee?|permission (?:non accordee|refusee)|authentification[^\n]{0,15}(?:echou|requise|echec)|echec de l'authentification|autorisations? (?:insuffisante|manquante|requise)|compte[^\n]{0,15}(?:suspendu|desactive)/,
    ],
    [
      'es-pt',
      'clave, chave, token caduc, token expir, token no valid, token invalid, token no es, token nao, acceso, acesso, autoriz, autentic, permiso, permissao, cuenta, conta, credencia, permissoes',
      /(?:clave|chave)[^\n]{0,30}(?:invalid|no valid|caducad|expirad|incorrect|incorret|no es valid|nao e valid)|token (?:caducad|expirad|no (?:es )?valid|nao (?:e )?valid|invalid[oa])|(?:acceso|acesso)[^\n]{0,12}(?:denegad|negad|prohibid|proibid|no autorizad|nao autorizad)|(?:no|nao) autorizad|permiso denegado|permissao negada|(?:autenticacion|autenticacao)[^\n]{0,15}(?:fallid|requerid|falh|necess|obrigator)|(?:error de|falha na|erro de) autentica|(?:no tiene|sin|sem|nao tem|nao possui) (?:permiso|permissao)|(?:cuenta|conta)[^\n]{0,15}(?:suspendid|desactivad|desativad|bloquead)|credenciales (?:no valid|invalid|incorrect)|credenciais (?:invalid|incorret)/,
    ],
    [
      'it',
      'chiave, accesso, autorizzat, autenticazione, autorizzazion, account, permesso',
      /chiave[^\n]{0,25}(?:non valid|scadut|errat|mancante)|accesso[^\n]{0,10}(?:negato|non autorizzato|rifiutato)|non autorizzat|permesso negato|autenticazione[^\n]{0,12}(?:non riuscita|fallita|richiesta)|autorizzazion[ie] (?:insufficient|mancant)|account[^\n]{0,15}(?:sospeso|disattivato)/,
    ],
    [
      'ru-uk',
      'ключ, токен, доступ, прав, авториз, аутентифик, аккаунт, учетн',
      /(?:ключ|токен)[а-я]*[^\n]{0,25}(?:недействит|неверн|истек|отсутств|некоррект|отозван)|(?:неверн|недействит|некорректн|недопустим)[а-я]*[^\n]{0,12}(?:ключ|токен)|доступ[^\n]{0,12}(?:запрещ|закрыт|ограничен)|нет доступа|отказано в доступе|недостаточно прав|нет прав|не авторизован|(?:ошибка|требуется) (?:авторизац|аутентификац)|(?:аккаунт|учетн[а-я]+ запис)[а-я]*[^\n]{0,15}(?:заблокир|отключ|приостан)|доступ заборонен|недійсний (?:ключ|токен)/,
    ],
    [
      'pl-cs-tr-hu',
      'klucz, klic, anahtar, dostep, pristup, erisim, uprawnien, opravnen, yetki, hozzafer, autoryz',
      /(?:nieprawidlowy|niewlasciwy|niepoprawny) klucz|klucz[^\n]{0,15}(?:nieprawidlow|wygas|niewazn)|(?:odmowa|brak) dostepu|odmowiono dostepu|brak uprawnien|nieautoryzowan|(?:neplatny|nespravny) klic|pristup[^\n]{0,8}odepren|nema[^\n]{0,6}opravnen|gecersiz[^\n]{0,6}anahtar|anahtar[^\n]{0,12}(?:gecersiz|suresi)|erisim[^\n]{0,8}(?:reddedildi|engellendi)|yetkisiz|yetkiniz (?:yok|bulunmuyor)|hozzaferes megtagadva/,
    ],
    [
      'ja',
      'キー, 認証, アクセス, 権限, トークン, ログイン, アカウント, 許可',
      /キー[^\n]{0,10}(?:無効|正しくありません|期限切れ|不正|間違)|認証[^\n]{0,6}(?:失敗|エラー|必要|でき)|アクセス[^\n]{0,8}(?:拒否|許可されて|禁止|権限)|権限[^\n]{0,6}(?:ありません|ない|不足|必要)|(?:アクセス)?トークン[^\n]{0,6}(?:期限切れ|無効|の有効期限)|ログイン(?:が)?必要|アカウント[^\n]{0,8}(?:停止|無効|凍結)/,
    ],
    [
      'ko',
      '키가, 키는, 인증, 액세스, 접근, 권한, 토큰, 로그인, 계정',
      /키[가는]?[^\n]{0,8}(?:유효하지|잘못|만료|올바르지)|인증[^\n]{0,8}(?:실패|오류|필요|만료)|(?:액세스|접근|접속)[^\n]{0,8}(?:거부|금지|불가)|권한(?:이|을)? ?(?:없|부족|필요)|토큰[^\n]{0,6}만료|로그인(?:이)? ?필요|계정[^\n]{0,8}(?:정지|비활성|차단)/,
    ],
    [
      'zh',
      '无权, 没有权限, 未授权, 鉴权, 身份验证, 密钥, 令牌, 無權, 沒有權限, 未授權, 金鑰, 驗證, 存取, 权限, 權限, 访问, api key, 登录, 登入, 账号, 帳號, 实名',
      /无权|無權|[没沒]有[权權]限|[权權]限(?:不足|不够|不夠)|未授[权權]|鉴权|身份验证(?:失败|错误)|(?:密钥|令牌|金鑰|權杖|api ?key)[^\n]{0,10}?(?:无效|無效|过期|過期|错误|錯誤|失效|不正确|不正確|不存在)|(?:无效|無效|错误)的? ?(?:密钥|令牌|金鑰|api ?key)|驗證失敗|(?:拒绝|拒絕|禁止)(?:访问|存取)|(?:访问|存取)(?:被|遭)(?:拒|拒绝|禁止)|(?:请先?|請先?|需要)(?:登录|登入)|(?:账号|帳號|账户)[^\n]{0,8}(?:封禁|禁用|停用|停權)|实名认证/,
    ],
    [
      'ar-hi-vi-id',
      'الوصول, المفتاح, पहुँच, अनधिकृत, khoa api, truy cap, akses',
      /(?:رفض|ممنوع)[^\n]{0,8}الوصول|المفتاح غير صالح|अनधिकृत|पहुँच अस्वीकृत|khoa api khong hop le|truy cap bi tu choi|akses ditolak/,
    ],
  ]),
  ...inEachLanguage(
    { id: 'fixable.world', class: 'T7', detail: 'fixable', confidence: 0.85, operations: ['model_read'] },
    [
      [
        'germanic',
        'modell, parameter, model bestaat',
        /modell[^\n]{0,40}(?:nicht (?:gefunden|verfugbar|unterstutzt|vorhanden)|existiert nicht|unbekannt)|(?:ungultig|unbekannt|fehlend|nicht unterstutzt)[a-z]* parameter|parameter[^\n]{0,25}(?:ungultig|fehlt|erforderlich|unbekannt)|model bestaat niet/,
      ],
      [
        'romance',
        'modele, modelo, modello, parametr',
        /modele[^\n]{0,40}(?:introuvable|n'existe pas|non pris en charge|non trouve|n'est pas (?:disponible|pris))|modelo[^\n]{0,40}(?:no (?:se )?(?:encontr|existe|esta disponible|es compatible|fue encontrado)|nao (?:foi )?(?:encontr|existe|esta dispon|e suport|suportado))|modello[^\n]{0,40}(?:non (?:trovato|esiste|e disponibile|disponibile|supportato))|paramet(?:re|ro)s?[^\n]{0,20}(?:invalid|manquant|inconnu|non valid|no valid|faltant|desconocid|desconhecid|mancant|sconosciut)|(?:invalide|inconnu|manquant) ?: ?parametre/,
      ],
      [
        'slavic-turkic',
        'модель, модели, параметр, nie istnieje, nie zosta, neexistuje, nebyl nalezen, bulunamadi, mevcut degil',
        /модел[ьи][^\n]{0,40}(?:не найден|не существует|недоступн|не поддержив)|(?:неверн|недопустим|отсутств|неизвестн)[а-я]*[^\n]{0,15}параметр|параметр[а-я]*[^\n]{0,20}(?:неверн|недопуст|обязател|отсутств)|model[^\n]{0,20}(?:nie istnieje|nie zosta|neexistuje|nebyl nalezen|bulunamadi|mevcut degil)/,
      ],
      [
        'ja-ko',
        'モデル, パラメータ, 모델, 매개변수, 파라미터',
        /モデル[^\n]{0,12}(?:見つかりません|存在しません|サポートされていません|利用できません|対応していません)|パラメータ[^\n]{0,8}(?:無効|不正|エラー|必須|誤)|모델[^\n]{0,12}(?:찾을 수 ?없|존재하지|지원되지|사용할 수 ?없)|(?:매개변수|파라미터)[^\n]{0,8}(?:잘못|유효|누락|필수)/,
      ],
      [
        'zh-hant',
        '模型, 參數',
        /模型[^\n]{0,12}?(?:不存在|未找到|找不到|已下線|不支援)|參數[^\n]{0,12}?(?:錯誤|有誤|非法|無效|缺失|不合法)/,
      ],
    ],
  ),
  // What the shell says of a file or a command that is not there.
  ...inEachLanguage(
    {
      id: 'tool.no-file',
      class: 'T7',
      detail: 'fixable',
      secondary: 'T5',
      confidence: 0.75,
      operations: ['tool_read'],
    },
    [
      [
        'world',
        'datei oder verzeichnis, fichier ou dossier, archivo o el directorio, arquivo ou diretorio, file o directory, файла или каталога, ファイルやディレクトリ, 文件或目录, 檔案或目錄, 파일이나 디렉터리, pliku ani katalogu',
        /datei oder verzeichnis nicht gefunden|aucun fichier ou dossier|no existe el archivo o el directorio|arquivo ou diretorio (?:inexistente|nao encontrado)|file o directory non esistente|нет такого файла или каталога|ファイルやディレクトリはありません|没有那个文件或目录|沒有此一檔案或目錄|파일이나 디렉터리가 없|nie ma takiego pliku ani katalogu/,
      ],
    ],
  ),
  ...inEachLanguage({ id: 'tool.no-command', class: 'T5', confidence: 0.8, operations: ['tool_read', 'tool_write'] }, [
    [
      'world',
      'befehl nicht gefunden, commande introuvable, orden no encontrada, comando nao encontrado, comando non trovato, команда не найдена, コマンドが見つかりません, 未找到命令, 找不到指令, 명령을 찾을 수, nie znaleziono polecenia',
      /befehl nicht gefunden|commande introuvable|orden no encontrada|comando nao encontrado|comando non trovato|команда не найдена|コマンドが見つかりません|未找到命令|找不到指令|명령을 찾을 수 ?없|nie znaleziono polecenia/,
    ],
  ]),
];
