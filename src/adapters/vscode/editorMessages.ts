// Neutral request -> what VS Code's language model API takes. The stable API has no system role, no choice of one tool, no
// addresses of images and no thinking of earlier turns: instructions go first as a user's message, the tool that must be
// called goes alone, and what else has no form is said in words. VS Code itself is handed in, so that tests can do without.
import type * as vscode from 'vscode';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, ImagePart, TextPart, ToolSpec } from '../../core/chat.ts';
import { dialectOf, type Dialect } from '../../core/providers/dialects.ts';
import { argsObject, portableHistory, type PortableTurn, type PortableUserTurn } from '../providers/portableHistory.ts';
import { portableImage } from '../providers/portableImages.ts';
import { portableNames, type PortableNames } from '../providers/portableNames.ts';
import { toolSchema } from '../providers/toolSchema.ts';

/** The classes of VS Code that a request is made of. */
export type MessageClasses = Pick<
  typeof vscode,
  | 'LanguageModelChatMessage'
  | 'LanguageModelTextPart'
  | 'LanguageModelToolCallPart'
  | 'LanguageModelToolResultPart'
  | 'LanguageModelDataPart'
  | 'LanguageModelChatToolMode'
>;

/** A request in VS Code's form, and the way back for the names of its tools. */
export interface EditorRequest {
  readonly messages: vscode.LanguageModelChatMessage[];
  readonly options: Pick<vscode.LanguageModelChatRequestOptions, 'tools' | 'toolMode' | 'modelOptions'>;
  readonly names: PortableNames;
}

const NO_OUTPUT = '(no output)';

/** The request for `candidate`. */
export function editorRequest(
  classes: MessageClasses,
  request: ChatRequest,
  candidate: Pick<Candidate, 'family' | 'model' | 'wire' | 'capabilities'>,
): EditorRequest {
  const known = dialectOf(candidate);
  const dialect: Dialect = { ...known, images: { ...known.images, urls: 'none' } };
  const names = portableNames(request, dialect.toolNames);
  const { turns } = portableHistory(request.messages, {
    callIds: dialect.callIds,
    names,
    keepThinking: () => false,
    takesPrefill: false,
  });
  const make: Maker = { classes, dialect, capabilities: candidate.capabilities };
  const system = request.system
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
  return {
    messages: [
      ...(system === '' ? [] : [classes.LanguageModelChatMessage.User(system)]),
      ...turns.map((turn) => message(turn, make)),
    ],
    options: { ...toolOptions(request, dialect, { classes, names }), ...modelOptions(request) },
    names,
  };
}

interface Maker {
  readonly classes: MessageClasses;
  readonly dialect: Dialect;
  readonly capabilities: Candidate['capabilities'];
}

function message(turn: PortableTurn, make: Maker): vscode.LanguageModelChatMessage {
  const { LanguageModelChatMessage, LanguageModelTextPart, LanguageModelToolCallPart } = make.classes;
  if (turn.role === 'user') return LanguageModelChatMessage.User(userParts(turn, make));
  return LanguageModelChatMessage.Assistant(
    turn.content.flatMap((part): AssistantParts => {
      if (part.type === 'text') return [new LanguageModelTextPart(part.text)];
      return part.type === 'thinking'
        ? []
        : [new LanguageModelToolCallPart(part.wireId, part.name, argsObject(part.argsText))];
    }),
  );
}

type AssistantParts = (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[];

type UserParts = (vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart | vscode.LanguageModelDataPart)[];

function userParts(turn: PortableUserTurn, make: Maker): UserParts {
  const { LanguageModelTextPart, LanguageModelToolResultPart } = make.classes;
  const results = turn.results.map(({ wireId, content, isError }) => {
    const parts = content.map((part) => contentPart(part, make));
    const shown = parts.length > 0 ? parts : [new LanguageModelTextPart(NO_OUTPUT)];
    // The API has no mark for a tool that failed.
    const mark = isError ? [new LanguageModelTextPart('[tool error]')] : [];
    return new LanguageModelToolResultPart(wireId, [...mark, ...shown]);
  });
  return [...results, ...turn.content.map((part) => contentPart(part, make))];
}

function contentPart(
  part: TextPart | ImagePart,
  { classes, dialect, capabilities }: Maker,
): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  if (part.type === 'text') return new classes.LanguageModelTextPart(part.text);
  const image = portableImage(part, dialect, capabilities);
  switch (image.kind) {
    case 'data':
      return classes.LanguageModelDataPart.image(Buffer.from(image.data, 'base64'), image.mediaType);
    case 'words':
      return new classes.LanguageModelTextPart(image.text);
    case 'url':
      return new classes.LanguageModelTextPart(`[image at ${image.url}]`);
  }
}

function toolOptions(
  { tools, toolChoice }: ChatRequest,
  dialect: Dialect,
  { classes, names }: { readonly classes: MessageClasses; readonly names: PortableNames },
): EditorRequest['options'] {
  const isOffered = ({ name }: ToolSpec): boolean =>
    toolChoice.type !== 'none' && (toolChoice.type !== 'tool' || toolChoice.name === name);
  const offered = [...new Map(tools.filter(isOffered).map((tool) => [tool.name, tool])).values()];
  if (offered.length === 0) return {};
  const { Auto, Required } = classes.LanguageModelChatToolMode;
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      name: names.outgoing(name),
      description: description ?? '',
      inputSchema: toolSchema(parameters, dialect.schemas),
    })),
    toolMode: toolChoice.type === 'auto' ? Auto : Required,
  };
}

/** Names as the wires have them: each model takes those that it knows. */
function modelOptions(request: ChatRequest): Pick<EditorRequest['options'], 'modelOptions'> {
  const { temperature, topP, maxOutputTokens, stop } = request;
  const options = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop: [...stop] }),
  };
  return Object.keys(options).length === 0 ? {} : { modelOptions: options };
}
