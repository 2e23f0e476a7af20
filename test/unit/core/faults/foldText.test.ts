import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import { foldText } from '../../../../src/core/faults/foldText.ts';
import { allRules } from '../../../../src/core/faults/rules/tables.ts';
import { observe, openaiBody } from './observe.ts';

describe('foldText', () => {
  it.each([
    ['Rate LIMIT', 'rate limit'],
    ['Requête dépassée, größer, çok, żółć', 'requete depassee, grosser, cok, zolc'],
    ['De\u0301passe\u0301', 'depasse'],
    ['con\u200btent\u00ad fil\u2060ter', 'content filter'],
    ['ｃｏｎｔｅｎｔ＿ｆｉｌｔｅｒ', 'content_filter'],
    ['𝐪𝐮𝐨𝐭𝐚', 'quota'],
    ['соntent pоlicу', 'content policy'],
    ['‘x’ “y” «z»', '\'x\' "y" "z"'],
    ['Ещё запрос к API', 'еще запрос к api'],
    ['ガイドライン', 'ガイドライン'],
    ['필터링', '필터링'],
    ['', ''],
  ])('writes %j as %j', (text, plain) => {
    expect(foldText(text)).toBe(plain);
    expect(foldText(plain)).toBe(plain);
  });

  it('is the spelling that all words of the tables are written in', () => {
    const words = allRules.flatMap(({ hints, tokens, finishes }) => [
      ...(hints ?? []),
      ...(tokens ?? []),
      ...(finishes ?? []),
    ]);
    expect(words.filter((word) => foldText(word) !== word)).toEqual([]);
    const odd = allRules.filter(({ pattern }) => {
      const letters = (pattern?.source ?? '').replace(/[\0-\x7f]/g, '');
      return foldText(letters) !== letters;
    });
    expect(odd.map(({ id }) => id)).toEqual([]);
  });
});

describe('a disguised refusal', () => {
  const plain = 'rejected by the content filter';
  const disguises: Readonly<Record<string, string>> = {
    'zero-width spaces': plain.replaceAll('e', 'e\u200b'),
    'soft hyphens': plain.replaceAll('t', '\u00adt'),
    'look-alike letters': plain.replaceAll('e', 'е').replaceAll('o', 'о'),
    'full-width letters': plain.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    accents: plain.replaceAll('e', 'é'),
  };
  it.each(Object.entries(disguises))('with %s is still T8', (_name, message) => {
    expect(classify(observe({ httpStatus: 429, body: openaiBody(message) })).class).toBe('T8');
  });
});
