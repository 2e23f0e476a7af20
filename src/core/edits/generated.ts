// Whether a file is made by a program, so that an edit of it is lost at the next run: by its name, its folder, or what its
// first lines say. Answers a warning with the way to change it properly, or null. Never decides; a person may know better.
import { GENERATED_RULES } from './generatedRules.ts';

/** Only so much of the head is looked at. */
const HEAD_CHARS = 4000;
const HEAD_LINES = 30;

/** Why a file should not be edited by hand, and what to edit instead; null: nothing speaks against it. `head`: its first lines. */
export function generatedReason(path: string, head: string): string | null {
  const parts = path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const start = head.slice(0, HEAD_CHARS);
  const lines = start.split('\n', HEAD_LINES).map((line) => line.trimEnd());
  const file = { name: parts.at(-1) ?? '', folders: parts.slice(0, -1), path: parts.join('/'), head: start, lines };
  for (const rule of GENERATED_RULES) {
    const why = rule.says(file);
    if (why !== null) return `${path} ${why}`;
  }
  return null;
}
