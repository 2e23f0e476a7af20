// Runs the idempotency contract test of a tool and keeps the result (HFR document, appendix D: a new tool is tested before its
// claim is believed). It really calls the tool, a dozen times: only with arguments that may take effect that often.
import { CONTRACTS_DOCUMENT, judgeContract, readContracts, withContract } from '../core/ledger/toolContract.ts';
import type { ContractCase, ContractObservation, ContractVerdict, ToolContract } from '../core/ledger/toolContract.ts';
import { idempotencyKey } from '../core/ledger/key.ts';
import type { Ports, Result, StoreFault } from './ports.ts';

/** The tool under test. */
export interface ContractTarget {
  /** Calls it with a key; when `signal` is aborted the call is cut off, wherever it is. An error is an answer, too. */
  call(key: string, args: unknown, signal: AbortSignal): Promise<Result<null, string>>;
  /** How many effects it has had so far, from a source that the calls do not write. */
  count(): Promise<Result<number, string>>;
}

export interface ContractRequest {
  /** Name of the tool in the ledger. */
  readonly tool: string;
  /** `definitionHash` of the tool as it is now. */
  readonly definition: string;
  readonly args: unknown;
  /** Other arguments for the same key; absent: that case is not tried. */
  readonly otherArgs?: unknown;
  /** How long after its calls an effect may still come before it is counted, ms. */
  readonly settleMs: number;
  /** Moments after sending at which a call is cut off, ms. */
  readonly cutAfterMs: readonly number[];
}

/** What the test came to. */
export interface ContractReport {
  readonly contract: ToolContract;
  readonly verdict: ContractVerdict;
}

export type ContractPorts = Pick<Ports, 'clock' | 'store'>;

/** Tests a tool and keeps the verdict, passed or not. An error is one of the store: then nothing is believed of the tool. */
export async function testToolContract(
  ports: ContractPorts,
  request: ContractRequest,
  target: ContractTarget,
): Promise<Result<ContractReport, StoreFault>> {
  const kept = await keptContracts(ports);
  if (!kept.ok) return kept;
  const observations = await observe(ports, request, target);
  const verdict = judgeContract(observations);
  const contract: ToolContract = {
    tool: request.tool,
    definition: request.definition,
    testedAtMs: ports.clock.nowMs(),
    isPassed: verdict.isPassed,
    problems: [...verdict.problems],
    evidence: observations.map(evidenceLine),
  };
  const saved = await ports.store.saveDocument(CONTRACTS_DOCUMENT, withContract(kept.value, contract));
  return saved.ok ? { ok: true, value: { contract, verdict } } : saved;
}

/** Every tested contract. */
export async function keptContracts({
  store,
}: Pick<Ports, 'store'>): Promise<Result<readonly ToolContract[], StoreFault>> {
  const text = await store.document(CONTRACTS_DOCUMENT);
  return text.ok ? { ok: true, value: readContracts(text.value) } : text;
}

function evidenceLine({ name, effects, detail }: ContractObservation): string {
  const seen = effects === null ? 'effects unknown' : `${effects} effect${effects === 1 ? '' : 's'}`;
  return `${name}: ${seen}${detail === '' ? '' : ` (${detail})`}`;
}

async function observe(
  ports: ContractPorts,
  { tool, definition, args, otherArgs, settleMs, cutAfterMs }: ContractRequest,
  target: ContractTarget,
): Promise<readonly ContractObservation[]> {
  const { clock } = ports;
  const task = `${definition}:${clock.nowMs()}`;
  const keyOf = (step: number): string => idempotencyKey({ tenant: 'belay-contract', task, step, tool, args });
  const whole = new AbortController().signal;
  const send = (step: number, sent: unknown): Promise<Result<null, string>> => target.call(keyOf(step), sent, whole);
  const counted = async (name: ContractCase, act: () => Promise<string>): Promise<ContractObservation> => {
    const before = await target.count();
    const detail = await act();
    if (settleMs > 0) await clock.sleep(settleMs);
    const after = await target.count();
    if (before.ok && after.ok) return { name, effects: after.value - before.value, detail };
    return { name, effects: null, detail: before.ok ? (after.ok ? detail : after.error) : before.error };
  };

  const observations = [
    await counted('once', async () => words([await send(0, args)])),
    await counted('repeated', async () => words([await send(0, args)])),
    await counted('together', async () => words(await Promise.all([send(1, args), send(1, args)]))),
  ];
  for (const [i, afterMs] of cutAfterMs.entries()) {
    const step = 10 + i;
    const act = async (): Promise<string> => {
      await cutOff(ports, target, keyOf(step), args, afterMs);
      return `cut off after ${afterMs} ms; ${words([await send(step, args)])}`;
    };
    observations.push(await counted('cut-off', act));
  }
  observations.push(await counted('other-key', async () => words([await send(2, args)])));
  if (otherArgs !== undefined) {
    observations.push(await counted('other-arguments', async () => words([await send(0, otherArgs)])));
  }
  return observations;
}

async function cutOff(
  { clock }: ContractPorts,
  target: ContractTarget,
  key: string,
  args: unknown,
  afterMs: number,
): Promise<void> {
  const stop = new AbortController();
  const sent = target.call(key, args, stop.signal);
  // Whoever is first; the abort ends a sleep that is left over.
  await Promise.race([sent, clock.sleep(afterMs, stop.signal)]);
  stop.abort(new Error('cut off'));
  await sent;
}

/** What calls answered, where that was not plain success. */
function words(results: readonly Result<null, string>[]): string {
  return results.map((result) => (result.ok ? 'answered' : `refused: ${result.error}`)).join(', ');
}
