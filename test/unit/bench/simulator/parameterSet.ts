// The study's parameter sets, checked as `belay sim` checks them.
import { PARAMETER_SETS } from '../../../../src/bench/simulator/parameterSets.ts';
import { readParameters, type SimulationParameters } from '../../../../src/bench/simulator/parameters.ts';

/** Set J or A under whole names. */
export function parameterSet(name: keyof typeof PARAMETER_SETS): SimulationParameters {
  const read = readParameters(PARAMETER_SETS[name]);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}
