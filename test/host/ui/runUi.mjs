#!/usr/bin/env node
// The packaged extension in the real workbench, driven as a person would. Prints one line a check and the counts last;
// pictures go to out/screenshots. Usage: runUi.mjs [file.vsix [tour]]; default: the package that the build made,
// and all tours.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { addProvider } from './addProvider.mjs';
import { close, fail } from './checks.mjs';
import { disclosure } from './disclosure.mjs';
import { effects } from './effects.mjs';
import { firstProvider } from './firstProvider.mjs';
import { panelTour } from './panelTour.mjs';
import { reload } from './reload.mjs';
import { untrusted } from './untrusted.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const vsix = path.resolve(process.argv[2] ?? path.join(root, 'out', `belay-${version}.vsix`));
fs.mkdirSync(path.join(root, 'out', 'screenshots'), { recursive: true });

if (process.platform === 'linux' && process.arch === 'x64') {
  for (const [name, tour] of Object.entries({
    'a newcomer': firstProvider,
    providers: addProvider,
    'the panel': panelTour,
    'what was done': effects,
    'a reload in the middle': reload,
    'who may get code': disclosure,
    'an untrusted workspace': untrusted,
  })) {
    if (process.argv[3] !== undefined && !name.includes(process.argv[3])) continue;
    console.log(`\n${name}`);
    await tour(vsix).catch((error) => fail(name, error));
  }
} else {
  console.log('the workbench tests need Linux x64 (code-server and Chromium are packaged for it); skipped here');
}
process.exitCode = close();
