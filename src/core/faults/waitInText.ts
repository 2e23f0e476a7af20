// A wait that is written in prose, in many languages: durations ("5 hours 34 minutes", "6m0s", "30 Sekunden", "30秒") that stand
// near a word for waiting or trying again. A number without such a word is a limit, a size or the time that was lost.
// Plain spelling, see foldText.ts.
import { parseRfc3339 } from './dates.ts';

// Longer spellings first. Latin, Cyrillic, then the scripts without spaces.
const UNITS: readonly (readonly [unitMs: number, words: string])[] = [
  [1, 'ms|msecs?|milli[a-z]+|миллисекунд[а-я]*|мс|毫秒|ミリ秒|밀리초'],
  [
    1000,
    'seconds?|secs?|sekund[a-z]*|secondes?|segundos?|second[oi]|saniye|sn|giay|detik|seconden|vterin[a-z]*|masodperc[a-z]*|s|секунд[а-я]*|сек|с|秒|초|ثانية|ثوان|सेकंड',
  ],
  [
    60_000,
    'minutes?|mins?|minuten?|minutos?|minut[aioy]?|minuuttia?|dakika|dk|phut|menit|perc[a-z]*|minuten|m|минут[а-я]*|хвилин[а-я]*|мин|分钟|分鐘|分间|分間|分|분|دقيقة|دقائق|मिनट',
  ],
  [
    3_600_000,
    'hours?|hrs?|stunden?|std|heures?|horas?|or[ae]|saat|godzin[a-z]*|hodin[a-z]*|uur|uren|timm?ar|timer|gio|jam|ora|h|час[а-я]*|годин[а-я]*|ч|小时|小時|時間|시간|ساعة|ساعات|घंटे',
  ],
  [
    86_400_000,
    'days?|tage?n?|jours?|dias?|giorn[oi]|gun|dni|dzien|den|dagen?|dnu|ngay|hari|nap|d|день|дня|дней|дни|天|日間|日|일|يوم|أيام|दिन',
  ],
  [604_800_000, 'weeks?|wochen?|semaines?|semanas?|settiman[ae]|tygodni[a-z]*|недел[а-я]*|周|週間|週|주'],
];

const NUMBER = '(\\d{1,9}(?:[.,]\\d{1,9})?)';
const UNIT_WORDS = UNITS.map(([, words]) => `(${words})`).join('|');
const DURATION = new RegExp(`${NUMBER} ?(?:${UNIT_WORDS})(?![a-zа-я])`, 'g');
// What may stand between the parts of one duration.
const JOINT = /^(?:,? ?(?:and|und|et|y|e|и|i|a|en|och|ve|及|和)? ?)$/;

// Words before the duration. In most languages the duration may be some words away, in the same sentence.
const BEFORE =
  /(?:(?:^|[^a-z])(?:again|retry|retrying|retried|wait|waiting|resets?|available|expires?|renews?|back|cool ?down|unlock(?:ed|s)?|lifted|delay|backoff|come back|wart|versuch|erneut|nochmal|wiederhol|reessa|attend|patient|nouveau|esper|intent|reint|vuelv|aguard|tent[ea]|novamente|attesa|riprov|ritent|aspett|poczekaj|zaczekaj|odczekaj|sprob|ponow|bekle|tekrar|yeniden|pockej|zkus|opakuj|wacht|probeer|opnieuw|vanta|vent|forsok|forsog|varj|probalj|thu lai|doi|tunggu|coba)[a-z]*|подожд|повтор|попроб|через|ожид|зачекай|спробуй|待|再試行|再度|お試し|もう一度|기다|다시|재시도|等待|等候|稍[等候]|重[试試]|再[试試]|請在|请在|请于|請於|انتظر|حاول|प्रतीक्षा|पुनः)[^\n.。!?]{0,40}$/;
// Words behind it: "30 秒后重试", "30초 후", "in 30 Sekunden erneut".
const BEHIND =
  /^ ?(?:钟|鐘)?[^\n.。!?]{0,24}?(?:后|後|以后|之后|후|뒤|before (?:trying|retrying|you try|attempting|sending)|and (?:try|retry)|then (?:try|retry)|wart|versuch|erneut|wiederhol|reessa|avant de|antes de|prima di|prije|перед|повтор|попроб|спустя|bekle|tekrar|sonra|再試行|再度|お試し|お待ち|待っ|待ち|다시|기다|재시도|重[试試]|再[试試])/;

const MOMENT = /\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d{1,9})? ?(?:z|[+-]\d\d:?\d\d)/g;
// `retry-after: 12` as text: seconds, unless the name says otherwise.
const NAMED =
  /retry[-_ ]?after(?:[-_ ]?(ms|milliseconds|seconds?|secs?))?["']? ?[:=]? ?["']?(\d{1,9}(?:\.\d{1,9})?)(?![\w./:-])/;
const ONE =
  /(?:again|retry|wait|resets?|available)(?: again)? (?:in|after|for)? ?(?:about )?(?:a|an|one) (second|minute|hour|day|week)\b/;

const MOST_DURATIONS = 40;
const CONTEXT_CHARS = 60;

/**
 * The wait told in a text, in ms, or null. Where several are told the first one counts.
 * @param nowMs the time that moments are measured from; null: moments are passed over
 */
export function waitInTextMs(text: string, nowMs: number | null): number | null {
  if (!/\d/.test(text)) return oneUnitMs(text);
  return durationMs(text) ?? namedMs(text) ?? oneUnitMs(text) ?? momentMs(text, nowMs);
}

function durationMs(text: string): number | null {
  DURATION.lastIndex = 0;
  let totalMs = 0;
  let from = -1;
  let until = -1;
  for (let count = 0; count < MOST_DURATIONS; count += 1) {
    const match = DURATION.exec(text);
    const isNext = match !== null && from >= 0 && JOINT.test(text.slice(until, match.index));
    if (from >= 0 && !isNext && isWait(text, from, until)) return totalMs;
    if (match === null) return null;
    if (!isNext) {
      totalMs = 0;
      from = match.index;
    }
    totalMs += partMs(match);
    until = DURATION.lastIndex;
  }
  return null;
}

// Never a part of a longer number or word: `v2.5s`, `1.2.3s`.
function isWait(text: string, from: number, until: number): boolean {
  if (from > 0 && /[a-z\d.:/$-]/.test(text.charAt(from - 1))) return false;
  return (
    BEFORE.test(text.slice(Math.max(0, from - CONTEXT_CHARS), from)) ||
    BEHIND.test(text.slice(until, until + CONTEXT_CHARS))
  );
}

function partMs(match: RegExpExecArray): number {
  const index = UNITS.findIndex((_unit, position) => match[position + 2] !== undefined);
  return Math.round(amountOf(match[1] ?? '') * (UNITS[index]?.[0] ?? 0));
}

// `1,500` is one and a half thousand, `1,5` one and a half.
function amountOf(text: string): number {
  return Number(/,\d{3}$/.test(text) ? text.replace(',', '') : text.replace(',', '.'));
}

function namedMs(text: string): number | null {
  const match = NAMED.exec(text);
  return match === null ? null : Math.round(Number(match[2]) * (match[1]?.startsWith('m') === true ? 1 : 1000));
}

function oneUnitMs(text: string): number | null {
  const unit = ONE.exec(text)?.[1];
  return unit === undefined ? null : (UNITS.find(([, words]) => words.startsWith(unit))?.[0] ?? null);
}

function momentMs(text: string, nowMs: number | null): number | null {
  if (nowMs === null) return null;
  MOMENT.lastIndex = 0;
  for (let count = 0; count < MOST_DURATIONS; count += 1) {
    const match = MOMENT.exec(text);
    if (match === null) return null;
    const atMs = parseRfc3339(match[0]);
    if (
      atMs !== null &&
      /(?:again|retry|resets?|until|available|after|expires?)[^\n]{0,20}$/.test(
        text.slice(Math.max(0, match.index - 50), match.index),
      )
    )
      return Math.max(0, atMs - nowMs);
  }
  return null;
}
