import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../../src/adapters/stores/memoryStore.ts';
import { eventSink } from '../../../../src/adapters/vscode/eventSink.ts';
import type { Log } from '../../../../src/adapters/vscode/log.ts';
import { Redactor } from '../../../../src/adapters/vscode/redact.ts';
import type { DecisionEvent } from '../../../../src/core/events.ts';
import type { StorePort } from '../../../../src/engine/ports.ts';

function listLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  return {
    lines,
    redactor: new Redactor(),
    info: add,
    warn: add,
    error: add,
    show: () => undefined,
    dispose: () => undefined,
  };
}

const event = (seq: number): DecisionEvent => ({
  seq,
  atMs: seq,
  ids: { tenant: 'local', client: 'test', task: 't', step: 1, call: 'call-1' },
  body: { type: 'notice', severity: 'warning', message: `notice ${seq}.`, remedy: 'Wait.' },
});

async function stored(store: StorePort): Promise<number[]> {
  const events = await store.events('t');
  return events.ok ? events.value.map(({ seq }) => seq) : [];
}

describe('the event sink', () => {
  it('writes events in order when it is flushed', async () => {
    const store = memoryStore();
    const sink = eventSink(store, listLog());
    [1, 2, 3].forEach((seq) => sink.emit(event(seq)));
    await sink.flush();
    expect(await stored(store)).toEqual([1, 2, 3]);
  });

  it('keeps what a store refuses and writes it later, before what is newer; it complains once', async () => {
    const store = memoryStore();
    let isFull = true;
    const moody: StorePort = {
      ...store,
      appendEvents: (events) =>
        isFull
          ? Promise.resolve({ ok: false, error: { kind: 'full', message: 'the disk is full' } })
          : store.appendEvents(events),
    };
    const log = listLog();
    const sink = eventSink(moody, log);
    sink.emit(event(1));
    await sink.flush();
    sink.emit(event(2));
    await sink.flush();
    isFull = false;
    await sink.flush();
    expect(await stored(store)).toEqual([1, 2]);
    expect(log.lines.filter((line) => line.includes('the disk is full'))).toHaveLength(1);
  });

  it('writes a line that names the call', () => {
    const log = listLog();
    const sink = eventSink(memoryStore(), log);
    sink.emit(event(7));
    expect(log.lines).toEqual(['call-1 warning: notice 7. Wait.']);
    return sink.flush();
  });
});
