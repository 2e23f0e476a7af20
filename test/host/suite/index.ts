// Entry of the tests in the real extension host: VS Code loads it and calls run(). The last file ends the extension.
import { runMocha } from '../runMocha.mjs';

/** Rejects when a test failed. */
export function run(): Promise<void> {
  return runMocha([
    () => import('./activation.test.ts'),
    () => import('./settings.test.ts'),
    () => import('./languageModel.test.ts'),
    () => import('./editorModels.test.ts'),
    () => import('./gateway.test.ts'),
    () => import('./guarded.test.ts'),
    () => import('./dispose.test.ts'),
  ]);
}
