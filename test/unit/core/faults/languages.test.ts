// Situations that no vendor owns: languages.
import { describe, expect, it } from 'vitest';
import { openaiBody, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  { name: 'overloaded in Chinese', seen: { httpStatus: 503, body: openaiBody('服务器繁忙，请稍后再试') }, is: 'T4' },
  {
    name: 'overloaded in Japanese',
    seen: { httpStatus: 503, body: openaiBody('ただいまサーバーが混雑しています') },
    is: 'T4',
  },
  { name: 'overloaded in Korean', seen: { httpStatus: 500, body: openaiBody('모델이 과부하 상태입니다') }, is: 'T4' },
  {
    name: 'overloaded in Spanish',
    seen: { httpStatus: 500, body: openaiBody('El modelo está sobrecargado') },
    is: 'T4',
  },
  {
    name: 'overloaded in German',
    seen: { httpStatus: 503, body: openaiBody('Der Server ist derzeit überlastet') },
    is: 'T4',
  },
  { name: 'overloaded in Russian', seen: { httpStatus: 503, body: openaiBody('Сервер перегружен') }, is: 'T4' },
  { name: 'overflow in Chinese', seen: { httpStatus: 400, body: openaiBody('输入的上下文超过模型上限') }, is: 'T6' },
  {
    name: 'overflow in Japanese',
    seen: { httpStatus: 400, body: openaiBody('コンテキスト長を超えています') },
    is: 'T6',
  },
  {
    name: 'overflow in French',
    seen: { httpStatus: 400, body: openaiBody('La requête dépasse la fenêtre de contexte') },
    is: 'T6',
  },
  { name: 'refusal in Chinese', seen: { httpStatus: 400, body: openaiBody('内容涉嫌违规，已被拦截') }, is: 'T8' },
  { name: 'refusal in Korean', seen: { httpStatus: 400, body: openaiBody('콘텐츠 정책 위반입니다') }, is: 'T8' },
  {
    name: 'refusal in French',
    seen: { httpStatus: 400, body: openaiBody("La demande enfreint notre politique d'utilisation") },
    is: 'T8',
  },
  {
    name: 'no balance in Chinese',
    seen: { httpStatus: 403, body: openaiBody('账户余额不足') },
    is: 'T7',
    detail: 'quota',
  },
  { name: 'rate limit in Spanish', seen: { httpStatus: 429, body: openaiBody('Demasiadas solicitudes') }, is: 'T2' },
];

describe('languages', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
