// No probe at all: only where a command ran that has none, for telling whose effects could be mistaken for whose (../rivals.ts).
import * as z from 'zod';
import type { ProbeBaseline } from '../entry.ts';
import type { Footprint } from './probe.ts';

const schema = z.object({ workspace: z.string().nullable() });
/** Kind of a baseline that knows only where its command ran: no probe can be asked. */
export const PLACE = 'place';

/** Where a command runs that has no probe; null where it may reach beyond its workspace. */
export function placeBaseline(workspace: string | null): ProbeBaseline {
  return { kind: PLACE, data: { workspace } };
}

/** What such a command may have touched; null for another baseline. */
export function placeFootprint({ kind, data }: ProbeBaseline): Footprint | null {
  const known = kind === PLACE ? schema.safeParse(data).data : undefined;
  return known ? { workspace: known.workspace, paths: [], refs: [], runsPrograms: true } : null;
}
