// What an agent is handed when its edit failed since somebody else changed a file: what the file holds now, so that the next
// edit is made of that. Bounded, and never of files that usually hold secrets. Reads only.
import type { PlannedFile } from './editPlan.ts';
import type { FilePort } from './ports.ts';
import { contentText, SHOWN_CHARS } from './wholeEdit.ts';

/** The present content of every file of a failed edit that is not as the edit took it to be; empty where there is none. */
export async function freshContent(files: FilePort, planned: readonly PlannedFile[]): Promise<string> {
  let text = '';
  for (const file of planned) {
    const now = await files.read(file.path);
    if (!now.ok || !(hasMoved(file, now.value.hash) || isOldPicture(file))) continue;
    const leftChars = SHOWN_CHARS - text.length;
    if (leftChars <= 0) return `${text}\n${file.path} has changed, too; read it.`;
    text += now.value.exists
      ? shown(file.path, contentText(file.path, now.value.text, leftChars))
      : `\n${file.path} is not there any more.`;
  }
  return text;
}

/** Somebody wrote between the plan and its writes. */
function hasMoved({ hash, changes }: PlannedFile, now: string | null): boolean {
  return changes.length > 0 && now !== hash;
}

/** The places of the edit are not there in a file that was changed since the agent read it. */
function isOldPicture({ isStale, plan }: PlannedFile): boolean {
  return isStale && plan.kind === 'failed' && plan.blocks.length > 0;
}

function shown(path: string, content: string): string {
  return content === '' ? `\n${path} was changed by somebody else; read it.` : `\n${path} was changed.${content}`;
}
