// Figures as a person reads them: every number with its unit, candidates by model and region.
import { t } from './words.ts';

/** 0.42 s, 1.9 s, 12 s, 3 min. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 0.1) return t('{0} ms', Math.round(ms));
  if (seconds < 10) return t('{0} s', seconds.toFixed(1));
  return seconds < 120 ? t('{0} s', Math.round(seconds)) : t('{0} min', Math.round(seconds / 60));
}

/** Dollars with as many digits as matter: $0, <$0.0001, $0.0031, $0.25, $12.40. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd < 0.1 ? usd.toFixed(4).replace(/0{1,2}$/, '') : usd.toFixed(2)}`;
}

/** What a cost leaves out; empty where it leaves out nothing. */
export function unpricedText(attempts: number): string {
  if (attempts === 0) return '';
  return attempts === 1
    ? t('and 1 attempt without a known price')
    : t('and {0} attempts without a known price', attempts);
}

/** A share from 0 to 1 as .86. */
export function share(value: number): string {
  const text = value.toFixed(2);
  return value < 1 ? text.replace(/^0/, '') : text;
}

/** A share from 0 to 1 as 97 %. 99.97 is not rounded up to certainty. */
export function percent(value: number): string {
  const rounded =
    value * 100 > 99 && value < 1 ? Math.min(99.9, Math.floor(value * 1000) / 10) : Math.round(value * 100);
  return t('{0} %', rounded);
}

/** The time of day with seconds, in the user's language. */
export function clockTime(atMs: number): string {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(atMs);
}

/** The parts of `provider/account/model@region`; a name that has another form is all model. */
export interface CandidateName {
  readonly model: string;
  readonly region: string;
  readonly provider: string;
}

export function candidateName(id: string): CandidateName {
  const match = /^([^/]+)\/([^/]+)\/(.+)@([^@]+)$/.exec(id);
  if (!match) return { model: id, region: '', provider: '' };
  const [, provider = '', account = '', model = '', region = ''] = match;
  return {
    model,
    region: region === 'default' ? '' : region,
    provider: account === 'main' ? provider : `${provider}/${account}`,
  };
}

/** `gpt-5 eu-west`, or `gpt-5 (openai)` where there is no named region. */
export function candidateLabel(id: string): string {
  const { model, region, provider } = candidateName(id);
  if (region !== '') return `${model} ${region}`;
  return provider === '' ? model : `${model} (${provider})`;
}
