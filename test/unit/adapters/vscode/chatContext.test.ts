import { describe, expect, it } from 'vitest';
import { chatContext } from '../../../../src/adapters/vscode/chatContext.ts';
import type { ChatMessage, ChatRequest } from '../../../../src/core/chat.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { settings } = parseSettings({ 'belay.criticality': 'high', 'belay.callDeadlineSeconds': 30 });
const user = (text: string): ChatMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant: ChatMessage = { role: 'assistant', content: [{ type: 'text', text: 'ok' }] };
const request = (...messages: ChatMessage[]): ChatRequest => ({
  model: '*',
  system: [],
  messages,
  tools: [],
  toolChoice: { type: 'auto' },
});

describe('the context of a chat request', () => {
  it('has the same task in every turn of a conversation, and counts the turns', () => {
    const first = chatContext(request(user('mend it')), settings, 0);
    const second = chatContext(request(user('mend it'), assistant, user('go on')), settings, 0);
    expect(second.task).toBe(first.task);
    expect([first.step, second.step]).toEqual([1, 2]);
  });

  it('has another task for another first message', () => {
    expect(chatContext(request(user('a')), settings, 0).task).not.toBe(
      chatContext(request(user('b')), settings, 0).task,
    );
  });

  it('takes criticality, quality floor and deadline from the settings', () => {
    expect(chatContext(request(user('a')), settings, 1000)).toMatchObject({
      criticality: 'high',
      qualityFloor: 0.92,
      deadlineMs: 31_000,
      role: 'chat',
      tenant: 'local',
    });
  });
});
