// The connection, the clock and the server in other languages than English: operating systems and .NET tell of them in the
// user's language. Timeouts are T3, broken connections and failing servers T1; none of them speaks for a write (network.ts
// judges those by their codes). Plain spelling, see foldText.ts.
import type { Rule } from '../../rule.ts';
import { inEachLanguage } from '../../wordLists.ts';

const READS = ['model_read', 'tool_read'] as const;

export const worldNetworkRules: readonly Rule[] = [
  ...inEachLanguage(
    {
      id: 'network.timeout',
      class: 'T3',
      secondary: 'T1',
      confidence: 0.85,
      operations: READS,
      exceptStatuses: [504, 522, 429, 529],
    },
    [
      [
        'de-nl',
        'zeituberschreit, zeitlimit, rechtzeitig, time-out, zeit uberschr, wartezeit',
        /zeituberschreit|wartezeit[^\n]{0,30}(?:abgelaufen|uberschritten)|zeitlimit|nicht (?:rechtzeitig|innerhalb)|zeit uberschritten|(?:verzoek|bewerking)[^\n]{0,20}time-?out/,
      ],
      [
        'fr',
        'delai, temps d',
        /delai[^\n]{0,40}(?:depass|expir|ecoul)|expiration du delai|(?:expire|depasse)[^\n]{0,20}delai|temps d'attente[^\n]{0,20}(?:depass|ecoul|expir)/,
      ],
      [
        'es-pt',
        'tiempo, tempo',
        /tiempo de espera|se agoto el tiempo|tiempo[^\n]{0,15}(?:agotad|excedid|superad)|(?:excedi|super|expir)[^\n]{0,20}(?:tiempo|tempo)|tempo (?:limite|de espera|esgotad)|tempo[^\n]{0,15}(?:esgotad|excedid|expirad|esgotou)/,
      ],
      [
        'it',
        'scadut, tempo',
        /tempo (?:scaduto|massimo|limite)|timeout scaduto|scaduto il (?:tempo|timeout)|(?:richiesta|operazione|connessione)[^\n]{0,12}scadut/,
      ],
      [
        'ru-uk',
        'ожидани, таймаут, тайм-аут, время, очікуванн',
        /время ожидани|(?:истек|превыш|вышло)[а-я]*[^\n]{0,30}(?:врем|ожидани|тайм-?аут)|тайм-?аут|час очікуванн/,
      ],
      [
        'pl-cs-hu-tr',
        'limit czasu, czas, casovy, vyprsel, zaman asimi, suresi doldu, idotullep',
        /limit czasu|przekroczono[^\n]{0,15}czas|czas[^\n]{0,20}(?:uplynal|minal|przekroczon)|casovy limit|vyprsel[^\n]{0,20}(?:limit|cas)|zaman asimi|suresi doldu|idotullep/,
      ],
      ['ja', 'タイムアウト, 時間切れ, 時間内, 応答時間', /タイム ?アウト|時間切れ|時間内に|応答時間を超/],
      ['ko', '시간, 타임아웃', /시간(?:이)? ?초과|타임 ?아웃|제한 ?시간|시간 내에 (?:응답|완료)/],
      ['zh', '超时, 超時, 逾时, 逾時', /超[时時]|逾[时時]/],
      [
        'ar-hi-vi-id',
        'مهلة, समय, het thoi gian, waktu habis',
        /(?:انتهت|نفدت)[^\n]{0,10}مهلة|समय समाप्त|het thoi gian|waktu habis/,
      ],
    ],
  ),
  ...inEachLanguage({ id: 'network.broken', class: 'T1', secondary: 'T3', confidence: 0.82, operations: READS }, [
    [
      'de-nl',
      'verbindung, netzwerk, host nicht, verbinding, namensauflosung',
      /verbindung[^\n]{0,50}(?:verweiger|abgelehnt|zuruckgesetzt|unterbrochen|getrennt|fehlgeschlagen|geschlossen|verloren|abgebrochen|hergestellt werden|konnte nicht)|(?:keine|verweigerte die|nicht moglich,? eine) verbindung|netzwerk(?:fehler|verbindung|problem)|host nicht (?:gefunden|erreichbar|bekannt)|namensauflosung|verbinding[^\n]{0,30}(?:geweigerd|verbroken|mislukt)/,
    ],
    [
      'fr',
      'connexion, hote, reseau, connecter, resolution du nom',
      /connexion[^\n]{0,60}(?:refus|re-?initialis|interromp|ferme|perdu|echou|coup|etablie)|(?:aucune|echec de la|impossible d'etablir[^\n]{0,10}) connexion|impossible de se connecter|resolution du nom|hote[^\n]{0,20}(?:introuvable|inconnu|injoignable|inaccessible)|erreur reseau|erreur de connexion/,
    ],
    [
      'es-pt',
      'conexion, conexao, de red, de rede, conectar, host desco, host no, host nao, resolucion del nombre, resolucao de nome',
      /(?:conexion|conexao)[^\n]{0,60}(?:rechaz|rehus|denegad|denego|restablec|reinicial|interrump|interromp|cerrad|perdid|fall|falh|recus|rejeit|redefin|fechad|encerrad)|(?:interrupcion|cancelamento|cierre|encerramento) de (?:una|uma) (?:conexion|conexao)|(?:no se puede|nao (?:foi|e) possivel)[^\n]{0,20}(?:conectar|conexion|conexao)|resolucion del nombre|resolucao de nomes?|(?:error|erro) de (?:red|rede|conexion|conexao)\b|host (?:de destino )?(?:desconocid|desconhecid|no encontrad|nao encontrad)/,
    ],
    [
      'it',
      'connessione, errore di rete, connettersi, host sconosciuto, host non',
      /connessione[^\n]{0,60}(?:rifiut|reimpost|interrott|chius|pers[ao]|fallit|non riuscit)|impossibile (?:stabilire la connessione|connettersi)|errore di rete|host (?:sconosciuto|non trovato)/,
    ],
    [
      'ru-uk',
      "соединени, подключени, сети, хост, подключиться, разрешении имен, зʼєднан, з'єднан",
      /(?:соединени|подключени)[а-я]*[^\n]{0,50}(?:отклон|отказ|отверг|сброш|разорв|прерв|закрыт|потерян|не установ|не удал)|(?:не удалось|невозможно) (?:установить (?:соединени|подключени)|подключиться)|(?:отверг|отклон|разорв)[а-я]*[^\n]{0,40}(?:соединени|подключени|запрос на подключение)|ошибка сети|разрешении имен|(?:хост|узел|сервер)[а-я]*[^\n]{0,15}не найден|з[ʼ']єднан[^\n]{0,30}(?:відхил|розірв|скину)/,
    ],
    [
      'pl-cs-tr-hu',
      'polaczeni, pripojeni, spojeni, baglanti, blad sieci, kapcsolat',
      /(?:polaczeni|pripojeni|spojeni)[a-z]*[^\n]{0,40}(?:odrzuc|odm[ao]w|zresetow|przerwan|zamkniet|utracon|odmit|resetovan|preruse|ukonceno|zavreno|selhalo)|nie mozna nawiazac polaczenia|blad sieci|baglanti[^\n]{0,30}(?:reddedil|sifirlan|kesil|kapat|kurulamadi|basarisiz)|kapcsolat[^\n]{0,25}(?:megszakad|elutasit|visszautasit)|visszautasit[^\n]{0,15}kapcsolat/,
    ],
    [
      'ja',
      '接続, 通信, ネットワーク, ホスト',
      /(?:接続|通信)[^\n]{0,20}(?:拒否|リセット|切断|できません|できなかった|失敗|切れ|閉じ|中断|エラー)|ネットワーク(?: ?エラー|に接続|の問題)|ホスト[^\n]{0,8}見つかりません/,
    ],
    [
      'ko',
      '연결, 네트워크, 호스트',
      /연결[^\n]{0,20}(?:거부|재설정|초기화|끊|실패|할 수 ?없|종료|닫)|네트워크 ?(?:오류|에러|연결)|호스트[^\n]{0,8}찾을 수 ?없/,
    ],
    [
      'zh',
      '连接, 連線, 連接, 网络, 網路, 主机, 主機, 域名, 解析',
      /(?:连接|連線|連接)[^\n]{0,12}(?:被?拒[绝絕]|重[置設设]|中[断斷]|断开|斷開|失[败敗]|关闭|關閉|错误|錯誤|异常|異常)|(?:拒[绝絕]|关闭|關閉|中[断斷])[^\n]{0,8}(?:连接|連線|連接)|(?:无法|無法)(?:连接|連線|連接|建立连接|建立連線)|(?:积极|主動|主动)拒[绝絕]|(?:网络|網路)(?:错误|錯誤|异常|異常|不通|连接)|(?:主机|主機|域名)[^\n]{0,6}(?:不可达|无法|無法|找不到|解析)|解析(?:失败|失敗)/,
    ],
    [
      'ar-hi-vi-id',
      'الاتصال, कनेक्शन, ket noi, koneksi',
      /(?:رفض|فشل|انقطع|تعذر)[^\n]{0,10}الاتصال|कनेक्शन[^\n]{0,12}(?:विफल|अस्वीकार|टूट)|ket noi[^\n]{0,12}(?:bi tu choi|that bai|bi ngat)|koneksi[^\n]{0,12}(?:ditolak|gagal|terputus)/,
    ],
  ]),
  ...inEachLanguage({ id: 'network.certificate', class: 'T7', detail: 'permission', confidence: 0.85 }, [
    [
      'world',
      'zertifikat, certificat, certificad, certyfikat, сертификат, 証明書, 인증서, 证书, 憑證, sertifika',
      /zertifikat[^\n]{0,40}(?:ungultig|abgelaufen|nicht vertrau|selbst|nicht uberpruf)|certificat[^\n]{0,40}(?:invalide|expire|non approuve|auto-?signe|pas (?:fiable|approuve|valide)|non valid|scadut|autofirmat|attendibile)|certificado[^\n]{0,40}(?:no (?:es )?valid|nao (?:e )?valid|invalid|caducad|expirad|auto-?(?:firmad|assinad)|confianza|confiavel|confiable)|certyfikat[^\n]{0,30}(?:niewazn|wygas|zaufan|samopodpis)|сертификат[^\n]{0,40}(?:недейств|истек|самоподпис|довер|недовер)|証明書[^\n]{0,16}(?:無効|期限|信頼|自己署名|検証)|인증서[^\n]{0,16}(?:만료|유효하지|신뢰|자체 ?서명|확인할 수)|(?:证书|憑證)[^\n]{0,12}(?:无效|無效|过期|過期|不受信任|不信任|不受信赖|自签名|自簽|验证失败|驗證失敗)|sertifika[^\n]{0,20}(?:gecersiz|suresi|guvenilir)/,
    ],
  ]),
  ...inEachLanguage(
    { id: 'transient.world', class: 'T1', tier: 'generic', confidence: 0.72, operations: ['model_read'] },
    [
      [
        'latin',
        'serverfehler, dienst, vorubergehend, erreur, indisponible, error interno, erro interno, error del servidor, erro no servidor, erro do servidor, no disponible, indisponivel, errore interno, errore del server, non disponibile, blad serwera, niedostepn, chyba serveru, nedostupn, sunucu hatasi, kullanilamiyor',
        /serverfehler|(?:dienst|server)[^\n]{0,25}nicht (?:verfugbar|erreichbar)|vorubergehend nicht|erreur (?:interne|du serveur|serveur)|(?:service|serveur)[^\n]{0,25}indisponible|temporairement|error (?:interno|del? servidor)|erro (?:interno|(?:no|do|de) servidor)|(?:servicio|servico|servidor)[^\n]{0,25}(?:no (?:esta )?disponible|indisponivel)|temporalmente|temporariamente|errore (?:interno|del server)|(?:servizio|server)[^\n]{0,25}non disponibile|blad serwera|(?:usluga|serwer)[^\n]{0,20}niedostepn|chyba serveru|(?:sluzba|server)[^\n]{0,20}nedostupn|sunucu hatasi|(?:hizmet|sunucu)[^\n]{0,20}kullanilamiyor/,
      ],
      [
        'world',
        'ошибка сервера, недоступ, внутренн, サーバー, 利用できません, 一時的, 서버, 서비스를, 일시적, 服务器, 服务, 伺服器, 服務, 内部错误, 內部錯誤, 系统',
        /(?:внутренн[а-я]+ )?ошибка (?:на )?сервер|(?:сервис|сервер|служба)[^\n]{0,20}недоступ|временно недоступ|внутренняя ошибка|サーバー?[^\n]{0,10}エラー|一時的(?:に|な)|利用できません|서버[^\n]{0,8}(?:오류|에러)|일시적(?:으로|인)|서비스를?[^\n]{0,6}(?:사용할 수 ?없|이용할 수 ?없)|(?:服务器?|伺服器|系统|系統)(?:内部|內部)?(?:错误|錯誤|异常|異常|出错)|(?:内部|內部)(?:错误|錯誤)|(?:服务|服務)(?:暂时|暫時)?(?:不可用|無法使用|无法使用)/,
      ],
    ],
  ),
  // The answer stopped at its own length, which is no matter of the prompt.
  ...inEachLanguage({ id: 'stream.truncated', class: 'V1', confidence: 0.8, operations: ['model_read'] }, [
    [
      'latin',
      'langenlimit, langenbegrenzung, maximale lange, limite de long, limite de taille, limite di lunghezza, limite de compri, limit dlugosci, limit delky, uzunluk sinir',
      /(?:antwort|ausgabe)[^\n]{0,25}(?:langenlimit|langenbegrenzung|maximale lange)|(?:reponse|respuesta|resposta|risposta|sortie|salida|saida)[^\n]{0,30}limite d[ei] (?:long|taille|lunghezza|compri)|odpowiedz[^\n]{0,25}limit dlugosci|odpove[^\n]{0,25}limit delky|yanit[^\n]{0,25}uzunluk sinir/,
    ],
    [
      'world',
      'длин, 長さ, 길이, 长度, 長度, 文字数',
      /ответ[^\n]{0,20}(?:предел|ограничени|лимит)[а-я]*[^\n]{0,6}длин|(?:応答|回答|出力)[^\n]{0,6}(?:長さ|文字数)[^\n]{0,6}(?:制限|上限)|(?:응답|출력)[^\n]{0,8}길이[^\n]{0,4}(?:제한|한도)|(?:响应|回复|回答|输出|回應|回覆|輸出)[^\n]{0,8}(?:长度|長度)(?:限制|上限)/,
    ],
  ]),
  ...inEachLanguage(
    { id: 'stream.empty', class: 'V1', secondary: 'T1', confidence: 0.75, operations: ['model_read'] },
    [
      [
        'world',
        'leere antwort, reponse vide, respuesta vacia, resposta vazia, risposta vuota, пустой ответ, пустая, 空の, 空でした, 빈 응답, 응답이 비어, 为空, 為空, 空响应, 空回复, pusta odpowiedz, bos yanit, keine antwort, aucune reponse, ninguna respuesta, nenhuma resposta, nessuna risposta, ответ не, 応答が返, 回答が返, 응답이 반환, 未返回',
        /leere antwort|reponse vide|respuesta vacia|resposta vazia|risposta vuota|пустой ответ|空の(?:応答|回答|レスポンス)|(?:応答|回答|レスポンス)が?空|빈 ?응답|응답이 ?비어|(?:响应|回复|返回|回應|回覆|輸出|输出|内容)[^\n]{0,4}[为為]空|空(?:响应|回复|回應|回覆)|pusta odpowiedz|bos yanit|keine antwort zuruckgegeben|aucune reponse (?:n'a ete )?(?:retournee|renvoyee)|(?:ninguna respuesta|no se devolvio|nenhuma resposta|nessuna risposta)[^\n]{0,25}(?:devuelt|devolv|respuesta|retornad|restituit)|ответ не (?:был )?возвращ|(?:応答|回答)が返され|응답이 반환되지|未返回(?:任何)?(?:响应|回复|回應|回覆|内容)/,
      ],
    ],
  ),
];
