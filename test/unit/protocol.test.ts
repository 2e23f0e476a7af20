import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_WINDOW, panelCommands, parseIntent } from '../../src/protocol.ts';

describe('messages from the panel', () => {
  it('takes the three intents', () => {
    expect(parseIntent({ type: 'ready' })).toEqual({ type: 'ready' });
    expect(parseIntent({ type: 'show-events', count: 400 })).toEqual({ type: 'show-events', count: 400 });
    expect(parseIntent({ type: 'run-command', command: 'add-provider' })).toEqual({
      type: 'run-command',
      command: 'add-provider',
    });
  });

  it('refuses an unknown type, a missing field and a field too many', () => {
    expect(parseIntent({ type: 'delete-everything' })).toBeNull();
    expect(parseIntent({ type: 'show-events' })).toBeNull();
    expect(parseIntent({ type: 'ready', extra: true })).toBeNull();
  });

  it('refuses a VS Code command that is not in the table, also by its real id', () => {
    expect(parseIntent({ type: 'run-command', command: 'workbench.action.terminal.sendSequence' })).toBeNull();
    expect(parseIntent({ type: 'run-command', command: 'belay.addProvider' })).toBeNull();
    expect(parseIntent({ type: 'run-command', command: 'constructor' })).toBeNull();
  });

  it('bounds the window of events from both sides', () => {
    expect(parseIntent({ type: 'show-events', count: EVENT_WINDOW.least })).not.toBeNull();
    expect(parseIntent({ type: 'show-events', count: EVENT_WINDOW.most })).not.toBeNull();
    expect(parseIntent({ type: 'show-events', count: EVENT_WINDOW.least - 1 })).toBeNull();
    expect(parseIntent({ type: 'show-events', count: EVENT_WINDOW.most + 1 })).toBeNull();
    expect(parseIntent({ type: 'show-events', count: 100.5 })).toBeNull();
  });

  it('never throws and never lets through what is not exactly an intent', () => {
    fc.assert(
      fc.property(fc.anything(), (message) => {
        const intent = parseIntent(message);
        return intent === null || ['ready', 'show-events', 'run-command'].includes(intent.type);
      }),
    );
  });

  it('maps every panel command to a command of Belay or of the workbench', () => {
    for (const id of Object.values(panelCommands)) expect(id).toMatch(/^(belay|workbench)\./);
  });
});
