// The verifier port of a workspace on a disk: what is set up and installed there is found, nothing is guessed, and in a
// workspace that is not trusted nothing is (its files would say what is run).
import type { CheckPlan, VerifierPort } from '../../engine/ports.ts';
import { definedBy } from './definedBy.ts';
import type { Discovery } from './found.ts';
import { nodeChecks } from './nodeChecks.ts';
import { cargoChecks, goChecks, pythonChecks } from './otherChecks.ts';
import { readersVersion, readOutput } from './output/readOutput.ts';

const DISCOVERIES: readonly Discovery[] = [nodeChecks, pythonChecks, cargoChecks, goChecks];

/** `isTrusted` is asked at every use, since trust can be granted meanwhile. */
export function workspaceVerifiers(isTrusted: () => boolean): VerifierPort {
  return {
    version: readersVersion,
    async plan(request) {
      if (!isTrusted()) {
        const reason = 'the workspace is not trusted, so nothing of it is run';
        return { checks: [], lacking: [{ kind: 'named', reason }] };
      }
      const plans: CheckPlan[] = [];
      for (const discover of DISCOVERIES) plans.push(await discover(request));
      const unsure = plans.flatMap((plan) => plan.unsure ?? []);
      return {
        checks: plans.flatMap(({ checks }) => checks),
        lacking: plans.flatMap(({ lacking }) => lacking),
        ...(unsure.length > 0 ? { unsure } : {}),
      };
    },
    definedBy,
    read: readOutput,
  };
}
