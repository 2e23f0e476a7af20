// The tools that Belay's own agent loop offers its model, as the model reads them. What they do is agentTools' part.
import type { ToolSpec } from '../core/chat.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = (description: string): Schema => ({ type: 'string', description });
const parameters = (required: Schema, optional: Schema = {}): Schema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

const PATH = text('Path relative to the workspace.');
const SEARCH = text('Text to replace, exactly as it is in the file.');
const REPLACE = text('New text.');

const EDITS: Schema = {
  type: 'array',
  description: 'Several replacements in the same file, made together or not at all, instead of search and replace.',
  items: {
    type: 'object',
    properties: { search: SEARCH, replace: REPLACE, all: { type: 'boolean', description: 'Replace every place.' } },
    required: ['search', 'replace'],
    additionalProperties: false,
  },
};

const PATCH = `Changes of several files, all made or none: a unified diff, or *** Begin Patch ... *** End Patch, or search/replace blocks with the path above each.`;

/** What the model is offered. */
export const agentToolSpecs: readonly ToolSpec[] = [
  { name: 'list_files', description: 'All files of the workspace.', parameters: parameters({}) },
  {
    name: 'read_file',
    description: 'The text of one file, or some of its lines.',
    parameters: parameters(
      { path: PATH },
      {
        from_line: { type: 'integer', description: 'First line to show, from 1.' },
        to_line: { type: 'integer', description: 'Last line to show.' },
      },
    ),
  },
  {
    name: 'search',
    description: 'Lines of all files that contain a text.',
    parameters: parameters({ pattern: text('Plain text to look for.') }),
  },
  {
    name: 'edit_file',
    description: 'Replaces one exact piece of text, which must occur exactly once in the file.',
    parameters: parameters({ path: PATH }, { search: SEARCH, replace: REPLACE, edits: EDITS }),
  },
  {
    name: 'write_file',
    description:
      'Makes a file, or gives an existing one a whole new text. An existing file must have been read first. Write a long file in parts: the first with this, the others with edit_file.',
    parameters: parameters(
      { path: PATH, content: text('The whole text of the file.') },
      { allowEmpty: { type: 'boolean', description: 'Say true to leave an existing file without any text.' } },
    ),
  },
  {
    name: 'apply_patch',
    description: PATCH,
    parameters: parameters({ patch: text('The whole patch.') }),
  },
  {
    name: 'delete_file',
    description: 'Deletes one file. A person is asked first.',
    parameters: parameters({ path: PATH }),
  },
  {
    name: 'move_file',
    description: 'Moves or renames one file; nothing may be at the new place.',
    parameters: parameters({ path: PATH, to: text('New path relative to the workspace.') }),
  },
  {
    name: 'run_command',
    description: 'Runs a bash command in the workspace and waits for its end.',
    parameters: parameters({ command: text('The command.') }),
  },
  { name: 'finish', description: 'The goal is reached.', parameters: parameters({ summary: text('What was done.') }) },
];
