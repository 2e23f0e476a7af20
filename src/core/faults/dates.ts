// Reads the two date formats that providers send, without a clock: HTTP dates (RFC 9110, 5.6.7) and RFC 3339 times.
// Only times with a stated zone are read; a local time without one is nobody's time and gives null.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const HTTP_DATE =
  /^\s*(?:[a-z]{3,9},?\s+)?(\d{1,2})[ -]([a-z]{3})[ -](\d{4})\s+(\d{2}):(\d{2}):(\d{2})\s*(?:gmt|utc)\s*$/i;
const RFC_3339 =
  /^\s*(\d{4})-(\d{2})-(\d{2})[t ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?\s*(?:(z)|([+-])(\d{2}):?(\d{2}))\s*$/i;

/** Milliseconds since 1970 of an HTTP date such as `Tue, 17 Feb 2026 12:00:00 GMT`, or null. */
export function parseHttpDate(text: string): number | null {
  const match = HTTP_DATE.exec(text);
  if (match === null) return null;
  const [, day = '', monthName = '', year = '', hour = '', minute = '', second = ''] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  return instant(Number(year), month, Number(day), Number(hour), Number(minute), Number(second));
}

/** Milliseconds since 1970 of an RFC 3339 time such as `2026-02-17T12:00:00Z`, or null. */
export function parseRfc3339(text: string): number | null {
  const match = RFC_3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '0', zulu, sign, zoneHours = '0', zoneMinutes = '0'] =
    match;
  const atMs = instant(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  if (atMs === null) return null;
  const zoneMs = zulu === undefined ? (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000 : 0;
  return atMs + Math.round(Number(fraction) * 1000) - (sign === '-' ? -zoneMs : zoneMs);
}

function instant(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  return ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60_000 + second * 1000;
}

// Days from civil date in the Gregorian calendar: years are counted from March, so that the leap day comes last.
// 2000-03-01 is day 11,017.
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
