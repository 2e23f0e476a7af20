// Requests that do not fit (T6) in other languages than English. Plain spelling, see foldText.ts.
import type { Rule } from '../../rule.ts';
import { anyOf, inEachLanguage, near } from '../../wordLists.ts';

export const worldSizeRules: readonly Rule[] = inEachLanguage({ id: 'size.world', class: 'T6', confidence: 0.87 }, [
  [
    'de-nl',
    'kontext, zu lang, zu gross, tokenlimit, token-limit, te lang, contextvenster, zu viele token',
    anyOf(
      near('uberschr|zu (?:lang|gross|klein)|ubersteig|uberschreit|passt nicht', 'kontext', 40),
      /(?:eingabe|prompt|nachricht|anfrage|unterhaltung|text)[^\n]{0,30}zu (?:lang|gross)|token-?limit[^\n]{0,20}(?:uberschr|erreicht)|zu viele token(?! pro)/,
      /(?:invoer|prompt|bericht|verzoek)[^\n]{0,30}te lang|contextvenster[^\n]{0,20}overschr/,
    ),
  ],
  [
    'fr',
    'contexte, trop long, trop grand, trop volumineu, jetons',
    anyOf(
      near('depass|exced|trop (?:long|grand|volumineu)|superieure?s?', 'contexte', 40),
      /(?:invite|message|requete|entree|prompt|texte|conversation)[^\n]{0,30}trop (?:long|grand|volumineu)|nombre de jetons[^\n]{0,30}(?:depass|exced|superieur)|depass[^\n]{0,30}nombre[^\n]{0,15}jetons/,
    ),
  ],
  [
    'es-pt',
    'contexto, demasiado larg, demasiado grande, demasiado extens, muito long, muito grande, longo demais, longa demais, de tokens',
    anyOf(
      near('exced|super|ultrapass|sobrepas|demasiado|muito (?:long|grand)|maior', 'contexto', 40),
      /(?:mensaje|entrada|solicitud|prompt|texto|peticion|conversacion|conversa|mensagem|solicitacao|requisicao)[^\n]{0,30}(?:demasiado (?:larg|grand|extens)|muito (?:long|grand)|long[oa] demais)|(?:exced|super|ultrapass)[^\n]{0,40}(?:numero|limite|maximo) (?:maximo )?de tokens(?! por)/,
    ),
  ],
  [
    'it',
    'contesto, troppo lung, troppo grand, di token, dei token',
    anyOf(
      near('super|ecced|oltre|troppo', 'contesto', 40),
      /(?:messaggio|richiesta|prompt|testo|input|conversazione)[^\n]{0,30}troppo (?:lung|grand)|(?:super|ecced)[^\n]{0,30}(?:numero|limite)[^\n]{0,15}(?:di|dei) token(?! al)/,
    ),
  ],
  [
    'ru',
    'контекст, слишком длинн, слишком больш, слишком велик, токен, длин',
    anyOf(
      near('превы|слишком|больше', 'контекст', 40),
      /слишком (?:длинн|больш)[а-я]* (?:запрос|промпт|сообщени|текст|ввод)|(?:запрос|промпт|сообщение|текст|ввод)[^\n]{0,20}слишком (?:длинн|больш|велик)|превы[^\n]{0,30}(?:максимальн[а-я]* (?:длин|числ|количеств)|лимит[а-я]* токен)/,
    ),
  ],
  [
    'pl-cs-tr-hu',
    'kontekst, kontext, baglam, zbyt dlug, prilis dlouh, cok uzun, tul hossz',
    anyOf(
      near('przekr|zbyt|prekro|prilis|asi(?:yor|ldi)|cok uzun', 'kontekst|kontext|baglam', 40),
      /(?:zapytanie|wiadomosc|monit|tekst|prompt)[^\n]{0,25}zbyt dlug|(?:zprava|pozadavek|vstup|prompt|dotaz)[^\n]{0,25}prilis dlouh|(?:istem|istek|mesaj|metin|girdi)[^\n]{0,20}cok uzun|(?:uzenet|bemenet|keres)[^\n]{0,20}tul hossz/,
    ),
  ],
  [
    'ja',
    'コンテキスト, 長すぎ, トークン, 文字数, 大きすぎ',
    /コンテキスト(?:長|の長さ|ウィンドウ|サイズ)?[^\n]{0,10}?(?:超|上限|オーバー)|(?:入力|プロンプト|メッセージ|リクエスト|会話|テキスト)[^\n]{0,10}(?:長すぎ|大きすぎ)|トークン(?:数|の数)?[^\n]{0,12}?(?:超|上限|制限|多すぎ)|文字数[^\n]{0,8}(?:超|上限)/,
  ],
  [
    'ko',
    '컨텍스트, 토큰, 너무, 길이, 문맥',
    /(?:컨텍스트|문맥)[^\n]{0,14}?(?:초과|너무|넘|제한)|토큰[^\n]{0,12}?(?:초과|제한을|한도를|넘)|(?:입력|프롬프트|메시지|요청|대화)[^\n]{0,10}너무 (?:길|깁|긴|큽|크)|(?:최대|허용) ?길이[^\n]{0,8}(?:초과|넘)/,
  ],
  [
    'zh-hant',
    '上下文, 過長, 超長, 太長, 長度, 超出, 超過, 過大',
    /(?:輸入|提示詞?|訊息|文字|請求|對話)[^\n]{0,12}?(?:過長|超長|太長|過大)|(?<!(?:回應|回覆|回答|輸出)[^\n]{0,8})長度[^\n]{0,12}?(?:超|過長|限制)|(?:超出|超過)[^\n]{0,16}?(?:上下文|長度|最大.{0,4}token|token.{0,4}(?:上限|限制))|上下文[^\n]{0,16}?(?:超|過長|限制|溢出)/,
  ],
]);
