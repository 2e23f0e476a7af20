// Rules of the Anthropic-like vendor that hold between messages: who speaks first, every tool use answered at the head of the
// next message and nothing answered twice, no empty text. The schema (messagesSchema.ts) has passed before this is asked.
import type { WallModel } from '../places.ts';
import type { WireError } from '../wire.ts';
import { invalid } from './errors.ts';
import type { CountBody, WireBlock, WireMessage } from './messagesSchema.ts';

/** A message's content as blocks. */
export function blocksOf(message: WireMessage): readonly WireBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

/** Neighbouring messages of one role, joined as the vendor joins them. */
export function joinedTurns(
  messages: readonly WireMessage[],
): readonly { readonly role: WireMessage['role']; readonly blocks: readonly WireBlock[] }[] {
  const turns: { role: WireMessage['role']; blocks: readonly WireBlock[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks = [...last.blocks, ...blocksOf(message)];
    else turns.push({ role: message.role, blocks: blocksOf(message) });
  }
  return turns;
}

/** The first rule that is broken, or `null`. */
export function brokenRule(body: CountBody, model: WallModel): WireError | null {
  if (body.messages[0]?.role !== 'user') return invalid('messages: first message must use the "user" role');
  return (
    brokenContent(body.messages) ?? brokenPairing(body.messages) ?? brokenEnd(body.messages, model) ?? brokenTools(body)
  );
}

function brokenContent(messages: readonly WireMessage[]): WireError | null {
  for (const [i, message] of messages.entries()) {
    const isOpenEnd = i === messages.length - 1 && message.role === 'assistant';
    if (message.content.length === 0 && !isOpenEnd) {
      return invalid(
        `messages.${i}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    for (const [j, block] of blocksOf(message).entries()) {
      const at = `messages.${i}.content.${j}`;
      if (block.type === 'text' && block.text === '' && !isOpenEnd)
        return invalid('messages: text content blocks must be non-empty');
      if (block.type === 'text' && block.text.trim() === '' && !isOpenEnd) {
        return invalid('messages: text content blocks must contain non-whitespace text');
      }
      if (block.type === 'tool_use' && message.role === 'user')
        return invalid(`${at}: \`tool_use\` blocks can only be in \`assistant\` messages`);
      if (block.type === 'tool_result' && message.role === 'assistant') {
        return invalid(`${at}: \`tool_result\` blocks can only be in \`user\` messages`);
      }
      // The wall's models never think aloud, so no signature can be theirs.
      if (block.type === 'thinking') return invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  return null;
}

function brokenPairing(messages: readonly WireMessage[]): WireError | null {
  const seen = new Set<string>();
  const turns = joinedTurns(messages);
  for (const [i, turn] of turns.entries()) {
    const used = turn.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const again = used.find((id, j) => seen.has(id) || used.indexOf(id) !== j);
    if (again !== undefined) return invalid(`messages.${i}: \`tool_use\` ids must be unique`);
    used.forEach((id) => seen.add(id));
    const answered = headResults(turns[i + 1]?.blocks ?? []);
    const missing = used.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      const message = `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      return invalid(message);
    }
    const stray = strayResult(turn.blocks, turns[i - 1]?.blocks ?? [], i);
    if (stray) return stray;
  }
  return null;
}

function strayResult(blocks: readonly WireBlock[], before: readonly WireBlock[], index: number): WireError | null {
  const asked = new Set(before.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  const answered = new Set<string>();
  for (const [j, block] of blocks.entries()) {
    if (block.type !== 'tool_result') continue;
    const id = block.tool_use_id;
    if (!asked.has(id)) {
      const message = `messages.${index}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return invalid(message);
    }
    if (answered.has(id)) {
      return invalid(
        `messages.${index}.content.${j}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
  return null;
}

/** Results that stand before anything else: only those answer the calls of the message before. */
function headResults(blocks: readonly WireBlock[]): readonly string[] {
  const end = blocks.findIndex((block) => block.type !== 'tool_result');
  return blocks
    .slice(0, end < 0 ? blocks.length : end)
    .flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function brokenEnd(messages: readonly WireMessage[], model: WallModel): WireError | null {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return null;
  if (!model.acceptsPrefill) {
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const end = blocksOf(last).at(-1);
  return end?.type === 'text' && end.text !== end.text.trimEnd()
    ? invalid('messages: final assistant content cannot end with trailing whitespace')
    : null;
}

function brokenTools(body: CountBody): WireError | null {
  const names = (body.tools ?? []).map((tool) => tool.name);
  if (new Set(names).size < names.length) return invalid('tools: Tool names must be unique.');
  const { tool_choice: choice } = body;
  if (choice && names.length === 0 && choice.type !== 'none')
    return invalid('tool_choice: tool_choice may only be specified while providing tools');
  if (choice?.type === 'tool' && !names.includes(choice.name))
    return invalid(`tool_choice: Tool '${choice.name}' not found in provided tools`);
  return null;
}
