// The English bundle lists exactly the texts that the code translates. UPDATE_GOLDEN=1 writes it anew.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const bundleFile = path.join(root, 'l10n', 'bundle.l10n.json');
const folders = ['src/adapters/vscode', 'webview'];
const files = [
  'src/extension.ts',
  ...folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  ),
];

interface Found {
  readonly texts: readonly string[];
  /** Calls whose text is not a plain literal: no translator could see them. */
  readonly hidden: readonly string[];
}

/** Calls of `t(...)` and `vscode.l10n.t(...)`. */
function translatedIn(name: string): Found {
  const source = ts.createSourceFile(name, readFileSync(path.join(root, name), 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const hidden: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText(source);
      const [text] = node.arguments;
      if ((callee === 't' || callee === 'vscode.l10n.t') && text) {
        if (ts.isStringLiteralLike(text)) texts.push(text.text);
        else hidden.push(`${name}: ${node.getText(source)}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { texts, hidden };
}

const found = files.map(translatedIn);
const texts = [...new Set(found.flatMap((each) => each.texts))].sort();

describe('the English bundle', () => {
  it('lists exactly the translated texts', () => {
    if (process.env.UPDATE_GOLDEN === '1')
      writeFileSync(bundleFile, `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`);
    expect(Object.keys(JSON.parse(readFileSync(bundleFile, 'utf8')) as object)).toEqual(texts);
  });

  it('finds every text as a literal', () => {
    expect(texts.length).toBeGreaterThan(100);
    expect(found.flatMap((each) => each.hidden)).toEqual([]);
  });
});
