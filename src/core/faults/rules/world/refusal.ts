// Refusals and policy blocks (T8) in other languages than English: what was filtered or blocked, and in whose name (a policy,
// responsible AI, safety). Neither word alone is a refusal: a firewall blocks too. Plain spelling, see foldText.ts.
import type { Rule } from '../../rule.ts';
import { anyOf, inEachLanguage, near } from '../../wordLists.ts';

export const worldRefusalRules: readonly Rule[] = [
  ...inEachLanguage({ id: 'refusal', class: 'T8', confidence: 0.9 }, [
    [
      'de',
      'verantwort, richtlinie, inhaltsfilter, sicherheits, moderation, unangemessen, anstossig, schadlich, jugendschutz, nutzungsbedingung',
      anyOf(
        near(
          'gefiltert|blockiert|abgelehnt|gesperrt|verst(?:o|oe)(?:ss|s)|verletz|zuruckgehalten|markiert|unterbunden|verweigert',
          'verantwort[a-z]* (?:ki|ai|kunstlich)|richtlinie|inhaltsfilter|sicherheits(?:system|filter|grund|richt|prufung)|moderation|nutzungsbedingung',
        ),
        /inhaltsfilter|(?:inhalts|nutzungs|sicherheits|content-)richtlinie|(?:unangemessene|anstossige|schadliche|unzulassige)[a-z]* (?:inhalt|anfrage|eingabe|text)/,
      ),
    ],
    [
      'nl',
      'verantwoord, beleid, richtlijn, inhoudsfilter, ongepast, schadelijk',
      anyOf(
        near(
          'gefilterd|geblokkeerd|geweigerd|afgewezen|in strijd|schend',
          'verantwoorde|beleid|richtlijn|inhoudsfilter',
        ),
        /inhoudsfilter|(?:ongepaste|schadelijke) (?:inhoud|tekst)/,
      ),
    ],
    [
      'fr',
      'responsable, politique, contenu, directive, regles, moderation, inapproprie, securite, conditions d',
      anyOf(
        near(
          'filtre|bloque|rejete|refuse|enfrei|contrevien|viol|contraire|signale|censure',
          "(?:ia|intelligence artificielle) responsable|responsable (?:de l')?ia|politique|filtre de contenu|filtrage|directives|regles (?:de|d')|moderation|securite du contenu|conditions d'utilisation",
        ),
        /filtr(?:e|age) de contenu|politique (?:de contenu|d'utilisation)|contenus? (?:inapproprie|prejudiciable|nuisible|interdit|sensible|dangereux)|propos (?:inapproprie|haineux)|raisons de securite du contenu/,
      ),
    ],
    [
      'es-pt',
      'responsable, responsavel, politica, contenido, conteudo, directriz, diretriz, normas, moderac, inapropiad, inadequad, inapropriad',
      anyOf(
        near(
          'filtr(?:ado|ada|o|ou|aron|aram)\\b|bloque(?:ado|ada|o|ou)\\b|rechaz|rejeit|recus|infring|infrac|viola|contra(?:vien|ria|venir)|incumpl|marcad|sinalizad|retenid',
          '(?:ia|inteligencia artificial) respons(?:able|avel)|politicas?|filtr[oe] de conte|directrices|diretrizes|normas de|moderac|terminos de uso|termos de uso|seguridad del contenido|seguranca do conteudo',
        ),
        /filtr(?:o|ado|agem) de conte[nu]|politicas? de (?:contenido|conteudo|uso)|(?:contenido|conteudo|texto|lenguaje)s? (?:inapropiad|inadequad|inapropriad|ofensiv|danin|prohibid|proibid|sensible|sensivel|no permitid|nao permitid|prejudicial)/,
      ),
    ],
    [
      'it',
      'responsabile, criteri, norme, linee guida, politic, contenut, moderazione, inappropriat',
      anyOf(
        near(
          'filtrat|bloccat|rifiutat|respint|viol|contrari|segnalat',
          "(?:ia|ai|intelligenza artificiale) responsabile|responsabile (?:dell'|di )?(?:ia|ai)|criteri|norme|linee guida|politic|filtro (?:dei )?contenut|moderazione|sicurezza dei contenut",
        ),
        /filtro (?:dei |di )?contenut|contenut[io] (?:inappropriat|offensiv|dannos|vietat|sensibil|non consentit)/,
      ),
    ],
    [
      'ru',
      'ответственн, политик, правил, безопасн, содержим, контент, модерац, фильтр, неприемлем, запрещенн, нежелательн',
      anyOf(
        near(
          'отфильтр|заблокир|отклон|наруш|запрещ|не прош|помечен|отказано|противореч',
          'ответственн[а-я]* (?:ии|ai|искусственн)|политик|правил|безопасност|модерац|фильтр[а-я]* (?:контент|содержим)',
        ),
        /(?:неприемлем|недопустим|запрещенн|нежелательн|вредоносн|опасн|оскорбительн)[а-я]* (?:контент|содержани|содержим|материал|запрос|тем)|фильтр[а-я]* (?:контент|содержим)|содержание запрещено/,
      ),
    ],
    [
      'uk',
      'відповідальн, політик, правил, фільтр, вміст',
      near('відфільтр|заблок|відхил|поруш|заборон', 'відповідальн|політик|правил|фільтр[а-яіїє]* вміст'),
    ],
    [
      'pl',
      'odpowiedzialn, zasad, polityk, filtr, bezpieczenst, nieodpowiedni, szkodliw',
      anyOf(
        near(
          'odfiltrow|przefiltrow|zablokow|odrzuc|narusz|niezgodn',
          'odpowiedzialn[a-z]* (?:ai|si|sztuczn)|sztucznej inteligencji|zasad|polityk|filtr[a-z]* (?:tresci|zawartosci)|bezpieczenst',
        ),
        /(?:nieodpowiedni|szkodliw|niedozwolon)[a-z]* tres/,
      ),
    ],
    [
      'cs-sk',
      'odpovedn, zodpovedn, zasad, filtr obsah, nevhodn',
      anyOf(
        near('filtrov|blokovan|zablokov|odmitnut|porus', 'z?odpovedn[a-z]* (?:ai|ui|umel)|zasad|filtr[a-z]* obsahu'),
        /nevhodn[a-z]* obsah/,
      ),
    ],
    [
      'tr',
      'sorumlu, ilke, politika, icerik, guvenlik, uygunsuz, sakincali',
      anyOf(
        near(
          'filtrelen|engellen|reddedil|ihlal|aykiri|uygun degil',
          'sorumlu (?:yapay zeka|ai|yz)|ilke|politika|icerik filtre|guvenlik (?:filtre|ilke|neden|sistem)|icerik (?:kural|kosul)',
        ),
        /(?:uygunsuz|sakincali|zararli) icerik|icerik filtre/,
      ),
    ],
    [
      'hu',
      'felelos, iranyelv, szabalyzat, tartalomsz',
      near('szurt|kiszurt|blokkol|letilt|elutasit|megsert|sert[io]', 'felelos|iranyelv|szabalyzat|tartalomsz'),
    ],
    [
      'vi-id',
      'chinh sach, noi dung, kebijakan, konten, co trach nhiem, bertanggung',
      near(
        'loc|chan|tu choi|vi pham|disaring|diblokir|ditolak|melanggar',
        'chinh sach|co trach nhiem|noi dung (?:khong phu hop|bi cam)|kebijakan|bertanggung jawab|konten (?:tidak pantas|terlarang)',
      ),
    ],
    [
      'ja',
      'ポリシー, ガイドライン, 責任ある, 不適切, コンテンツ, 安全, 有害, 規約, モデレーション, 公序良俗, 倫理',
      anyOf(
        near(
          'フィルタ|ブロック|拒否|違反|抵触|除外|制限され|検出|遮断|お断り',
          '責任ある ?(?:ai|人工)|ポリシー|ガイドライン|コンテンツ ?(?:フィルタ|管理|の安全)|安全(?:性|上|シ|フ|ポ|対策)|利用規約|モデレーション',
          40,
        ),
        /不適切な|有害な|(?:コンテンツ|利用|使用|安全)ポリシー|コンテンツ ?フィルタ|安全性(?:の)?(?:理由|フィルタ)|公序良俗|倫理(?:的|上)/,
      ),
    ],
    [
      'ko',
      '정책, 지침, 책임, 부적절, 유해, 안전, 콘텐츠, 약관, 검열, 가이드라인',
      anyOf(
        near(
          '필터|차단|거부|위반|제한되|감지|거절',
          '책임 ?있는 ?(?:ai|인공)|책임감 있는|정책|지침|콘텐츠 ?(?:필터|관리|안전)|안전 ?(?:시스템|상|필터|정책|기준)|약관|가이드라인|검열',
          40,
        ),
        /부적절한|유해(?:한| 콘텐츠)|(?:콘텐츠|사용|안전) ?정책|정책(?:을)? ?위반|안전 ?(?:필터|정책|시스템)|콘텐츠 ?필터/,
      ),
    ],
    [
      'zh',
      '负责任, 負責任, 政策, 策略, 准则, 準則, 安全, 内容, 內容, 敏感, 违规, 違規, 不当, 不當, 条款, 條款, 有害, 风控, 规范, 規範, 公共代码, 公用程式碼',
      anyOf(
        near(
          '过滤|過濾|筛选|篩選|屏蔽|封鎖|拦截|攔截|阻止|拒绝|拒絕|违反|違反|不符合|不合规|未通过|未通過|不通过|触发|觸發|禁止',
          '负责任|負責任|政策|内容策略|准则|準則|安全(?:策略|审核|審核|系统|系統|规则|規則|机制|政策)|内容(?:安全|审核|管理|审查)|內容(?:安全|審核|管理|篩選)|使用条款|使用條款|规范|規範|风控|风险控制',
          30,
        ),
        /敏感(?:内容|內容|词|詞|信息|資訊|话题)|违规|違規|不[当當](?:内容|內容|言论)|有害(?:内容|內容|信息)|内容(?:过滤|审核|安全|风险)|內容(?:過濾|篩選|審核)/,
      ),
    ],
    [
      'ar',
      'المسؤول, سياسة, المحتوى, إرشادات',
      near('تصفية|حظر|رفض|انتهاك|يخالف|ينتهك', 'المسؤول|سياسة|إرشادات|سياسات'),
    ],
    [
      'hi',
      'नीति, ज़िम्मेदार, जिम्मेदार, सामग्री',
      near('फ़िल्टर|फिल्टर|अवरुद्ध|ब्लॉक|अस्वीकार|उल्लंघन', 'नीति|ज़िम्मेदार|जिम्मेदार|सामग्री'),
    ],
  ]),
  // What was matched was public code (Copilot): blocked for its licence.
  ...inEachLanguage({ id: 'refusal.public-code', class: 'T8', confidence: 0.9 }, [
    [
      'world',
      'offentlichem code, offentlichen code, code public, codigo publico, codice pubblico, общедоступн, publicznym kod, genel kod, パブリック コード, 公開コード, 公共代码, 公用程式碼, 공용 코드, 공개 코드',
      /offentliche[mnr]? code|code public|codigo publico|codice pubblico|общедоступн[а-я]* код|publiczn[a-z]* kod|genel kod|パブリック ?コード|公開コード|公共代码|公用程式碼|(?:공용|공개) ?코드/,
    ],
    [
      'off-topic',
      'off_topic, off-topic, off topic, intent classifier',
      /(?:filtered|blocked|rejected|classified|flagged)[^\n]{0,40}off[ _-]topic|intent classifier|off[ _-]topic[^\n]{0,40}(?:filter|classif|block|reject)/,
    ],
  ]),
];
