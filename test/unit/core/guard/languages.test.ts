// The small languages inside arguments: sed, awk, SQL, and paths.
import { describe, expect, it } from 'vitest';
import { awkDanger } from '../../../../src/core/guard/inspect/awk.ts';
import { readSedScript } from '../../../../src/core/guard/inspect/sed.ts';
import { sqlLevel } from '../../../../src/core/guard/inspect/sql.ts';
import { isSecretPath, locate, resolvePath } from '../../../../src/core/guard/paths.ts';
import { literalWord } from '../../../../src/core/guard/word.ts';

describe('sed scripts', () => {
  it.each([
    'p',
    '1,20p',
    '/a/,/b/d',
    's/a/b/g',
    's|a/b|c|2gI',
    '$!d',
    '/x/{s/a/b/;p;}',
    'y/ab/cd/',
    ':a;N;ba',
    '2q',
    's/[ab]/x/',
  ])('reads %s', (script) => {
    expect(readSedScript(script)).toEqual({ writes: [], adds: false });
  });

  it('knows that appended text makes a second run different', () => {
    expect(readSedScript('$a more')?.adds).toBe(true);
    expect(readSedScript('1i\\\nmore')?.adds).toBe(true);
  });

  it('finds the files that w writes', () => {
    expect(readSedScript('w a.txt')?.writes).toEqual(['a.txt']);
    expect(readSedScript('s/a/b/gw b.txt')?.writes).toEqual(['b.txt']);
  });

  it.each(['e', '1e date', 's/a/b/e', 's/a/b/ge', 's/a/b', 's/[/]/x/', 'k', 's/[/]x/y/e', '{p;e\n}'])(
    'refuses %s',
    (script) => {
      expect(readSedScript(script)).toBeUndefined();
    },
  );
});

describe('awk programs', () => {
  it.each([
    '{print $1}',
    'NR > 3',
    '$1 ~ /a|b/ {print}',
    '{s += $2} END {print "mean", s/NR}',
    '{print "a > b | c"}',
    'a || b',
  ])('lets %s print', (program) => {
    expect(awkDanger(program)).toBeUndefined();
  });

  it.each([
    'BEGIN{system("a")}',
    '{print > "f"}',
    '{printf "a" >> "f"}',
    '{print | "c"}',
    '"c" | getline',
    '@load "x"',
    '/"/{print > "f"}',
    '{print "a",\n "b" > "f"}',
    '{print "a" \\\n > "f"}',
    '{if (1) /"/; print > "f"; ""}',
  ])('refuses %s', (program) => {
    expect(awkDanger(program)).toBeDefined();
  });
});

describe('SQL', () => {
  it.each([
    ['R0', 'select * from a where b in (1, 2)'],
    ['R0', "select 'drop table a'"],
    ['R0', 'select "update" from a; show tables'],
    ['R0', '\\dt'],
    ['R0', '.tables'],
    ['R0', 'explain select 1'],
    ['R2', "insert into a (b, c) values (1, 'x')"],
    ['R2', 'create table a (b int)'],
    ['R3', 'delete from a'],
    ['R3', 'select 1; drop table a'],
    ['R3', 'select pg_read_file($$x$$)'],
    ['R3', 'select lo_import(1)'],
    ['R3', 'select 1 into outfile 1'],
    ['R3', 'with x as (delete from a returning 1) select 1'],
    ['R3', 'select 1 \\! ls'],
    ['R3', '.shell ls'],
    ['R3', '/*! drop table a */ select 1'],
    ['R3', 'pragma writable_schema=1'],
    ['R3', 'insert into a select lo_import(1)'],
  ])('gives %s to %s', (level, text) => {
    expect(sqlLevel(text)).toBe(level);
  });
});

describe('paths', () => {
  const around = { cwds: ['/w/p'], workspace: '/w/p' };

  it.each([
    ['inside', 'a/b'],
    ['inside', './a/../b'],
    ['inside', '/w/p/a'],
    ['inside', 'a/..'],
    ['outside', '..'],
    ['outside', '/w/pa'],
    ['outside', 'a/../../b'],
    ['outside', '~/a'],
    ['outside', '~'],
    ['unknown', 'C:\\a'],
    ['protected', '.git/hooks/x'],
    ['discard', '/dev/null'],
    ['outside', '/dev/sda'],
  ])('places it %s: %s', (place, text) => {
    expect(locate(literalWord(text), around).place).toBe(place);
  });

  it('knows a Windows workspace by plain slashes, whatever the case of its drive', () => {
    const windows = { cwds: ['C:\\w\\p'], workspace: 'c:\\w\\p' };
    expect(locate(literalWord('src/a'), windows).place).toBe('inside');
    expect(locate(literalWord('C:/w/p/a'), windows).place).toBe('inside');
    expect(locate(literalWord('c:/w/q'), windows).place).toBe('outside');
  });

  it.each([
    'src\\a',
    '..\\a',
    '\\\\host\\share\\a',
    'C:a',
    'a:stream',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.git./config',
    'a /b',
    'a.',
    '.g\u200cit/config',
    'a\u0000b',
  ])('does not say where %j is', (path) => {
    for (const place of [around, { cwds: ['C:\\w\\p'], workspace: 'C:\\w\\p' }])
      expect(locate(literalWord(path), place).place).toBe('unknown');
  });

  it('takes the worst of several directories and none for unknown', () => {
    expect(locate(literalWord('../a'), { cwds: ['/w/p', '/w/p/src'], workspace: '/w/p' }).place).toBe('outside');
    expect(locate(literalWord('a'), { cwds: [undefined], workspace: '/w/p' }).place).toBe('unknown');
    expect(locate(literalWord('a'), { cwds: [], workspace: '/w/p' }).place).toBe('unknown');
    expect(resolvePath('/a/b', '../../../c')).toBe('/c');
  });

  it.each(['.env', 'a/.env.local', '~/.ssh/config', 'id_rsa', '.npmrc', 'x.pem', '/proc/1/environ', 'HEAD:.env'])(
    'sees a secret in %s',
    (path) => {
      expect(isSecretPath(path)).toBe(true);
    },
  );

  it.each(['.env.example', 'src/env.ts', 'id_rsa.pub', 'environment.md', 'monkey.ts', 'a.keys'])(
    'sees none in %s',
    (path) => {
      expect(isSecretPath(path)).toBe(false);
    },
  );
});
