// ln: a link is judged by where it leads, since later writes go through it. A symbolic link's text is read from the link's own
// directory; it must lead inside, to nothing guarded, and no higher up than the link stands, so that `..` behind it stays inside.
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import { locate, resolvePath } from '../paths.ts';
import type { Call } from '../rules/match.ts';
import type { Stdin, Walk } from '../walk.ts';
import { literalText, literalWord } from '../word.ts';
import type { Claim } from './inspector.ts';

/** Adds what the rows of ln cannot see; the rows judge the link's own place. */
export function inspectLink(call: Call, _stdin: Stdin, walk: Walk): Claim {
  walk.findings.links += 1;
  const [target, link] = call.parsed.operands.map((word) => literalText(word));
  if (target === undefined || link === undefined || call.parsed.operands.length !== 2 || call.parsed.doubtful)
    return refuse(walk, 'makes links in a form the guard does not follow');
  const isSymbolic = hasOption(call.parsed, ['-s', '--symbolic']);
  const isRelative = hasOption(call.parsed, ['-r', '--relative']);
  for (const cwd of walk.cwds) {
    const at = resolvePath(cwd, link);
    const parent = at?.replace(/\/[^/]*$/, '');
    if (at === undefined || parent === undefined) return refuse(walk, 'makes a link at a place that is not known');
    // Where the link's name is a directory already, the link is made in it.
    const origins = isSymbolic && !isRelative ? [parent, at] : [cwd];
    for (const origin of origins) {
      const leads = locate(literalWord(target), { cwds: [origin], workspace: walk.workspace });
      if (leads.place !== 'inside' || leads.path === undefined || depthOf(leads.path) < depthOf(at))
        return refuse(walk, `makes a link to ${target}, which leads outside, upwards or to something guarded`);
    }
  }
  return 'table';
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function refuse(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason: `ln ${reason}`, kind: 'outside-workspace' });
  return 'table';
}
