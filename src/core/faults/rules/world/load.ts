// Load in other languages than English: rates and windows (T2), no room at the provider (T4). Plain spelling, see foldText.ts.
import type { Rule } from '../../rule.ts';
import { inEachLanguage } from '../../wordLists.ts';

export const worldLoadRules: readonly Rule[] = [
  ...inEachLanguage({ id: 'load.overloaded', class: 'T4', confidence: 0.88 }, [
    [
      'de',
      'uberlast, ueberlast, ausgelastet, auslastung, nachfrage, kapazitat, warteschlange',
      /(?:uber|ueber)last|ausgelastet|(?:hohe[rn]?|starke[rn]?) (?:auslastung|nachfrage|last)|(?:keine|nicht genug|nicht gen?ugend|unzureichende|maximale) (?:freie )?kapazitat|kapazitat[^\n]{0,20}(?:erreicht|erschopft)|warteschlange[^\n]{0,20}voll/,
    ],
    [
      'nl',
      'overbelast, te druk, capaciteit, hoge vraag',
      /overbelast|te druk|hoge (?:belasting|vraag)|(?:onvoldoende|geen) capaciteit/,
    ],
    [
      'fr',
      'surcharg, forte demande, affluence, capacite, sollicit, sature',
      /surcharge(?!able)|forte (?:demande|affluence)|capacite[^\n]{0,20}(?:atteinte|maximale|insuffisante|depassee)|trop sollicite|sature\w?/,
    ],
    [
      'es-pt',
      'sobrecarg, sobrecarreg, saturad, demanda, congestionad, capacidad, capacidade, ocupad',
      /sobrecarg|sobrecarreg|saturad[oa]|(?:alta|mucha|muita|elevada|gran) demanda|congestionad|(?:sin|sem|maxima|insuficiente|falta de) (?:capacidad|capacidade)|capacidade? (?:maxima|insuficiente|agotada|esgotada|atingida)|(?:servidor|servicio|servico|sistema|modelo)[^\n]{0,20}ocupad/,
    ],
    [
      'it',
      'sovraccaric, domanda elevata, traffico, congestionat, occupat, capacita',
      /sovraccaric|(?:domanda|traffico) elevat|congestionat|(?:server|servizio|sistema|modello)[^\n]{0,20}occupat|capacita (?:massima|esaurita|insufficiente)/,
    ],
    [
      'ru',
      'перегруж, нагрузк, мощност, ресурс, сервер занят, занят',
      /перегруж|(?:высок|больш|повышенн)[а-я]* нагрузк|(?:недостаточно|нет свободных|не хватает)[^\n]{0,20}(?:мощност|ресурс)|(?:сервер|модель|сервис)[а-я]*[^\n]{0,10}занят/,
    ],
    [
      'pl',
      'przeciaz, obciazenie, duzy ruch, zajety',
      /przeciaz|(?:duze|wysokie) obciazenie|duzy ruch|serwer[^\n]{0,15}zajety/,
    ],
    ['cs-sk', 'pretizen, vytizen, vysoke zat', /pretizen|vytizen|vysoke zat/],
    [
      'tr',
      'asiri yuk, yogun, mesgul, kapasite',
      /asiri yuk|yogunluk|(?:sunucu|sistem|cok)[^\n]{0,12}(?:yogun|mesgul)|kapasite[^\n]{0,12}(?:dolu|yetersiz|asil)/,
    ],
    ['hu-vi-id', 'tulterhel, qua tai, kelebihan beban, sedang sibuk', /tulterhel|qua tai|kelebihan beban|sedang sibuk/],
    [
      'ja',
      '過負荷, 混雑, 混み合, ビジー, 集中, 負荷, 容量, リソース, 満員',
      /過負荷|混雑|混み合|ビジー|(?:アクセス|リクエスト|トラフィック)が?[^\n]{0,6}集中|高負荷|負荷が(?:高|大|かか)|(?:容量|リソース|キャパシティ)[^\n]{0,4}(?:不足|不十分|の上限)/,
    ],
    [
      'ko',
      '과부하, 혼잡, 사용량이, 트래픽, 몰려, 몰리, 용량, 접속자',
      /과부하|혼잡|사용량이 많|트래픽이? ?(?:많|몰|급증|폭주)|(?:요청|접속|이용자)[^\n]{0,6}몰[려리]|(?:처리 ?)?용량(?:이|을)? ?(?:부족|초과)|접속자가? 많/,
    ],
    [
      'zh-hant',
      '過載, 負載, 忙碌, 擁擠, 排隊, 資源不足, 尖峰, 流量過, 容量',
      /過載|負載(?:過高|過大|已滿)|忙碌|擁擠|排隊|資源不足|尖峰|流量過(?:大|高)|容量(?:不足|已滿|已满)/,
    ],
    ['ar-hi', 'محمل, ازدحام, व्यस्त', /محمل فوق|فوق طاقت|ازدحام|व्यस्त/],
  ]),
  ...inEachLanguage({ id: 'load.rate', class: 'T2', confidence: 0.87 }, [
    [
      'de',
      'ratenbegrenz, ratenlimit, anfragelimit, zu viele, begrenz, nutzungslimit, drossel, haufig',
      /raten(?:begrenz|limit)|anfragelimit|zu viele (?:anfragen|aufrufe|versuche|gleichzeitige)|anfragen pro (?:minute|stunde|tag|sekunde)|nutzungslimit|gedrosselt|zu haufig/,
    ],
    [
      'nl',
      'te veel, snelheidslimiet, aanvraaglimiet',
      /te veel (?:aanvragen|verzoeken|pogingen)|snelheidslimiet|aanvraaglimiet/,
    ],
    [
      'fr',
      'limite, trop de, debit, frequence',
      /limit(?:e|ation) d[eu]s? (?:debit|requetes?|demandes?|frequence|taux|vitesse|utilisation|appels)|trop de (?:requetes|demandes|appels|tentatives)|debit (?:est )?limite|limitee? en (?:debit|frequence)|limitee? par (?:le|un|la) (?:debit|taux|frequence)|limite d'(?:utilisation|appels)|(?:requetes|demandes) par (?:minute|heure|jour|seconde)/,
    ],
    [
      'es-pt',
      'limite, limitad, demasiad, muitas, muitos, excesso, por minuto, frecuencia',
      /limites? de (?:velocidad|velocidade|tasa|taxa|solicitudes|solicitac|requisic|peticiones|uso|frecuencia|frequencia|llamadas|chamadas|pedidos)|limitad[oa]s? (?:a|por|pela|en|em)[^\n]{0,10}(?:velocidad|velocidade|tasa|taxa|frecuencia|frequencia)|demasiad[ao]s (?:solicitudes|peticiones|llamadas|intentos|pedidos)|muit[ao]s (?:solicitac|requisic|chamadas|tentativas|pedidos)|(?:excesso|exceso) de (?:solicit|requisic|peticion|pedidos)|(?:solicitudes|peticiones|solicitac\w+|requisic\w+) por (?:minuto|hora|dia|segundo)/,
    ],
    [
      'it',
      'limite, limitazione, troppe, troppi tent, limitat',
      /limit(?:e|azione) (?:di|della|delle) (?:frequenza|velocita|richieste|utilizzo|chiamate)|troppe (?:richieste|chiamate)|troppi tentativi|limitata?[^\n]{0,8}(?:frequenza|velocita)/,
    ],
    [
      'ru',
      'запрос, лимит, частот, скорост, превыш, ограничен',
      /слишком (?:много|часты[а-я]*) (?:запрос|обращен|попыт)|превыш[а-я]*[^\n]{0,30}(?:лимит|частот|скорост|(?:числ|количеств)[а-я]* запрос)|(?:ограничени[а-я]*|лимит[а-я]*)[^\n]{0,12}(?:частот|скорост|(?:числ|количеств)[а-я]* запрос|запрос)|ограничен[а-я]*[^\n]{0,10}по (?:скорости|частоте)|запросов в (?:минуту|час|день|секунду)/,
    ],
    ['uk', 'запит', /(?:забагато|занадто багато) запит|ліміт[а-яіїє]* запит|обмежен[^\n]{0,20}запит/],
    [
      'pl',
      'zbyt wiele, szybkosc, limit zadan, limitu zadan, limit zapytan, limitu zapytan, limit liczby, limitu liczby, ograniczon',
      /zbyt wiele (?:zadan|zapytan|prob)|limit(?:u|em)? (?:szybkosci|zadan|zapytan|liczby)|ograniczon[a-z]*[^\n]{0,12}(?:szybkosc|liczb|czestotliwosc)/,
    ],
    [
      'cs-sk',
      'prilis mnoho, prilis vela, rychlost, limit pozad, limitu pozad, limit poctu, limitu poctu, cetnost, omezen',
      /prilis (?:mnoho|vela) (?:pozadavku|zadosti|poziadaviek)|limit(?:u)? (?:rychlosti|pozadavku|poctu|cetnosti)|omezen[a-z]*[^\n]{0,12}(?:rychlost|cetnost|frekvenc)/,
    ],
    [
      'tr',
      'cok fazla, hiz sinir, istek sinir, oran sinir, hiz limit',
      /cok fazla (?:istek|deneme|talep)|(?:hiz|istek|oran) (?:sinir|limit)/,
    ],
    [
      'hu-vi-id',
      'tul sok, qua nhieu, gioi han, terlalu banyak, batas',
      /tul sok (?:keres|kerelem)|qua nhieu yeu cau|gioi han (?:toc do|ty le|so luong)|terlalu banyak permintaan|batas (?:laju|kecepatan|permintaan)/,
    ],
    [
      'ja',
      'レート, リクエストが, リクエスト数, リクエスト回数, 回数, 利用制限, アクセス制限, 頻度, 使用制限',
      /レート ?(?:制限|リミット)|リクエスト(?:が|の?数が|数|の?回数)[^\n]{0,10}?(?:多|超|上限|制限|達)|(?:利用|呼び出し|送信)?回数[^\n]{0,8}(?:制限|上限|超)|(?:利用|使用|アクセス)制限|頻度が高/,
    ],
    [
      'ko',
      '요청, 속도, 호출, 사용량, 횟수',
      /요청(?:이|을|수가)? ?(?:너무|지나치게)|요청[^\n]{0,8}많|속도 ?제한|(?:요청|호출)[^\n]{0,6}(?:한도|제한|횟수)|사용량 ?(?:제한|한도)|횟수[^\n]{0,6}(?:초과|제한)|전송률 ?제한/,
    ],
    [
      'zh',
      '限速, 速率, 過於頻繁, 頻率, 頻繁, 請求過多, 请求过多, 限流, 次數, 太快, 过快, 過快, 達到上限, 请求过于, 使用限制, 請稍後再試',
      /限速|速率[^\n]{0,4}限制|頻率[^\n]{0,10}(?:過高|超|限制)|頻繁|[请請]求[过過](?:多|于|於|快)|限流|次數[^\n]{0,12}(?:超|過多|上限|限制)|(?:達到|達|超出|超過)[^\n]{0,8}(?:使用|請求|用量)?上限|(?:太|过|過)快|(?:达到|超出|超过)使用限制/,
    ],
    [
      'ar-hi',
      'طلبات, معدل, अनुरोध',
      /طلبات كثيرة|(?:الكثير|عدد كبير) من الطلبات|حد(?:ود)? المعدل|बहुत (?:अधिक|सारे|ज़्यादा) अनुरोध|दर सीमा/,
    ],
  ]),
  // "Your request was limited": the word for the request and the word for limiting, in one breath.
  ...inEachLanguage({ id: 'load.limited', class: 'T2', confidence: 0.82 }, [
    [
      'latin',
      'limitee, limitad, limitat, eingeschrankt, begrenzt, limitiert, ograniczon, omezen, sinirland, sinirlama, beperkt',
      /(?:requete|demande|solicitud|peticion|solicitac\w+|pedido|requisic\w+|richiesta|anfrage|zadani[ea]|zadost|pozadavek|istek\w*|isteginiz|verzoek|aanvraag)[^\n]{0,30}(?:limitee?|limitad[oa]|limitat[oa]|eingeschrankt|begrenzt|limitiert|ograniczon[aeoy]|omezen[aoy]?|sinirland\w*|sinirlama|beperkt)\b/,
    ],
    [
      'ru-uk',
      'ограничен, обмежен',
      /(?:скорост|частот)[а-я]*[^\n]{0,30}(?:запрос|обращени)[а-я]*[^\n]{0,12}ограничен|(?:запрос|обращени)[а-я]*[^\n]{0,20}ограничен[а-я]* по|швидкіст[^\n]{0,30}запит[^\n]{0,12}обмежен/,
    ],
  ]),
  ...inEachLanguage({ id: 'load.window', class: 'T2', secondary: 'T7', confidence: 0.82 }, [
    [
      'latin',
      'kontingent, quota, cuota, kota',
      /kontingent[^\n]{0,25}(?:uberschritten|aufgebraucht|erschopft|ausgeschopft|erreicht)|quotas?[^\n]{0,25}(?:depasse|atteint|epuise|esaurit|superat|excedid|przekroczon|prekrocen|asildi)|(?:cuota|cota)s?[^\n]{0,25}(?:superad|excedid|agotad|esgotad|atingid|ultrapassad)|kota[^\n]{0,20}(?:asil|dold|doldu)/,
    ],
    [
      'world',
      'квот, クォータ, 割り当て, 할당량, 配额, 配額',
      /квот[а-я]*[^\n]{0,20}(?:исчерпан|превышен)|(?:исчерпан|превышен)[^\n]{0,20}квот|(?:クォータ|割り当て)[^\n]{0,8}(?:超|達|使い切)|할당량[^\n]{0,8}(?:초과|소진)|配[额額][^\n]{0,8}(?:不足|超|用完|用尽|用盡|耗尽|耗盡)|超[出過过][^\n]{0,6}配[额額]/,
    ],
  ]),
];
