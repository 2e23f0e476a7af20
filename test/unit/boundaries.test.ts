// Every boundary rule is proved by a planted violation: a rule that matches nothing would otherwise pass for ever.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const configuration: unknown = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const ruleNames = z
  .object({ forbidden: z.array(z.object({ name: z.string() })) })
  .parse(configuration)
  .forbidden.map((rule) => rule.name);

/** Which file breaks which rule, by importing what. */
const plants: Readonly<Record<string, { readonly file: string; readonly imports: string }>> = {
  'no-cycles': { file: 'src/core/cycleA.ts', imports: './cycleB.ts' },
  'everything-resolves': { file: 'src/core/lost.ts', imports: './nowhere.ts' },
  'core-stays-in-its-layer': { file: 'src/core/up.ts', imports: '../engine/ports.ts' },
  'engine-stays-in-its-layer': { file: 'src/engine/side.ts', imports: '../gateway/server.ts' },
  'adapters-stays-in-its-layer': { file: 'src/adapters/side.ts', imports: '../gateway/server.ts' },
  'gateway-stays-in-its-layer': { file: 'src/gateway/side.ts', imports: '../adapters/plain.ts' },
  'hooks-stays-in-its-layer': { file: 'src/hooks/side.ts', imports: '../adapters/plain.ts' },
  'bench-stays-in-its-layer': { file: 'src/bench/side.ts', imports: '../adapters/vscode/panel.ts' },
  'cli-stays-in-its-layer': { file: 'src/cli/side.ts', imports: '../adapters/vscode/panel.ts' },
  'vscode-only-at-the-edge': { file: 'src/adapters/leak.ts', imports: 'vscode' },
  'vscode-not-even-transitively': { file: 'src/bench/deep.ts', imports: '../adapters/leak.ts' },
  'core-has-no-io': { file: 'src/core/io.ts', imports: 'node:fs' },
  'engine-has-no-io': { file: 'src/engine/io.ts', imports: 'node:fs' },
  'openai-only-in-its-adapter': { file: 'src/gateway/sdk.ts', imports: 'openai' },
  'anthropic-only-in-its-adapter': { file: 'src/cli/sdk.ts', imports: '@anthropic-ai/sdk' },
  'aws-only-in-its-adapter': { file: 'src/adapters/providers/elsewhere.ts', imports: '@smithy/signature-v4' },
  'google-only-in-its-adapter': { file: 'src/adapters/vscode/sdk.ts', imports: 'google-auth-library' },
  'clients-are-loaded-when-first-needed': { file: 'src/adapters/providers/eager.ts', imports: 'openai' },
  'webview-sees-only-the-protocol': { file: 'webview/nosy.ts', imports: '../src/core/chat.ts' },
  'engine-is-entered-by-its-front-door': { file: 'src/gateway/backdoor.ts', imports: '../engine/attempt.ts' },
  'source-never-imports-tests': { file: 'src/core/test.ts', imports: '../../test/support/random.ts' },
};

/** Files the plants import, themselves harmless. */
const harmless = [
  'src/core/chat.ts',
  'src/engine/ports.ts',
  'src/engine/attempt.ts',
  'src/gateway/server.ts',
  'src/adapters/plain.ts',
  'src/adapters/vscode/panel.ts',
  'test/support/random.ts',
];

const violations = z.object({
  summary: z.object({ violations: z.array(z.object({ rule: z.object({ name: z.string() }), from: z.string() })) }),
});

describe('the boundaries', () => {
  it('have a planted violation for every rule', () => {
    expect(Object.keys(plants).sort()).toEqual([...ruleNames].sort());
  });

  it('are each broken by their plant', () => {
    const directory = mkdtempSync(join(tmpdir(), 'belay-boundaries-'));
    try {
      for (const file of harmless) write(directory, file, 'export const value = 1;\n');
      for (const { file, imports } of Object.values(plants))
        write(directory, file, `import * as other from '${imports}';\nexport const value = other;\n`);
      write(directory, 'src/core/cycleB.ts', "import * as other from './cycleA.ts';\nexport const value = other;\n");
      for (const file of ['.dependency-cruiser.cjs', 'tsconfig.base.json', 'package.json'])
        cpSync(join(root, file), join(directory, file));
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
      const result = spawnSync(
        join(root, 'node_modules/.bin/depcruise'),
        ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'webview'],
        { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 28 },
      );
      const found = violations.parse(JSON.parse(result.stdout)).summary.violations;
      for (const [rule, { file }] of Object.entries(plants))
        expect(
          found.some((each) => each.rule.name === rule && each.from === file),
          rule,
        ).toBe(true);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

function write(directory: string, file: string, text: string): void {
  mkdirSync(join(directory, dirname(file)), { recursive: true });
  writeFileSync(join(directory, file), text);
}
