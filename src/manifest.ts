// The VS Code part of package.json and the English package.nls.json, made from the tables the code itself uses:
// settings (core/settings.ts) and commands (adapters/vscode/commandTable.ts). `node build.mjs manifest` writes both;
// a test fails when they drift. Runs at build time only and never in the extension.
import { commandTable, type CommandDefinition } from './adapters/vscode/commandTable.ts';
import { restrictedSettings, settingsManifest } from './core/settingsManifest.ts';

const settings = settingsManifest();
const commands: readonly (readonly [string, CommandDefinition])[] = Object.entries(commandTable);

const otherTexts = {
  'belay.view.panel': 'Belay',
  'belay.view.container': 'Belay',
  'belay.models.displayName': 'Belay (hedged)',
  'belay.untrusted':
    'Until you trust the workspace, Belay makes no model calls, runs no commands, edits no files and keeps its gateway off. The panel and your settings stay readable.',
  'belay.virtual': 'Model calls work. Guarded edits and commands need files on a disk.',
  'walkthrough.title': 'Get started with Belay',
  'walkthrough.description':
    'Keep your coding agent on the rope: hedged model calls, explained failures, guarded edits and commands.',
  'walkthrough.connect.title': 'Connect a provider',
  'walkthrough.connect.description':
    'Servers that run on this machine and keys in the environment are found. Everything is checked live before it is saved; keys go to the secret storage, never to the settings. Two providers, accounts or regions are enough for hedging.\n[Add Provider](command:belay.addProvider)\nCome from Continue, Cline or LiteLLM? [Import](command:belay.importProviders) what they have. [Check](command:belay.checkProviders) everything again at any time.',
  'walkthrough.connect.picture': 'A cloud in two regions and a server on this machine, tied to one rope',
  'walkthrough.chat.title': 'Use it in chat',
  'walkthrough.chat.description':
    'Choose "Belay (hedged)" in the model picker. Each request goes to the best candidate, and to the next when it is slow or fails.',
  'walkthrough.chat.picture': 'A request that reaches its answer by the second of three ways',
  'walkthrough.panel.title': 'See why',
  'walkthrough.panel.description':
    'The panel ranks your candidates and explains each decision: what failed, what was done, what it cost.\n[Open Panel](command:belay.openPanel)',
  'walkthrough.panel.picture': 'A ranking of three candidates with their quality',
  'walkthrough.gateway.title': 'Point any agent at it',
  'walkthrough.gateway.description':
    'The loopback gateway speaks OpenAI Chat Completions. Start it, copy its URL and token, and give them to any agent that takes a base URL.\n[Start Gateway](command:belay.startGateway)',
  'walkthrough.gateway.picture': 'Several agents that go through one gateway',
  'walkthrough.guard.title': 'Choose how careful the guard is',
  'walkthrough.guard.description':
    'careful asks for every write, balanced for what cannot be queried or undone, autonomous only for what no mode may do unasked.\n[Open the setting](command:workbench.action.openSettings?%5B%22belay.guard.mode%22%5D)',
  'walkthrough.guard.picture': 'A shield between an agent and a file',
} as const;

const key = (name: keyof typeof otherTexts): string => `%${name}%`;
const step = (
  name: 'connect' | 'chat' | 'panel' | 'gateway' | 'guard',
  completionEvents: readonly string[],
): object => ({
  id: name,
  title: key(`walkthrough.${name}.title`),
  description: key(`walkthrough.${name}.description`),
  media: { svg: `media/walkthrough/${name}.svg`, altText: key(`walkthrough.${name}.picture`) },
  completionEvents,
});

/** What VS Code reads of package.json. A startup event is needed since a gateway that was left on must listen again. */
export const manifest = {
  main: './dist/extension.js',
  icon: 'media/icon.png',
  l10n: './l10n',
  categories: ['AI', 'Chat', 'Machine Learning'],
  keywords: ['ai', 'agent', 'llm', 'gateway', 'failover', 'hedging', 'openai', 'anthropic'],
  extensionKind: ['workspace'],
  activationEvents: ['onStartupFinished'],
  capabilities: {
    untrustedWorkspaces: {
      supported: 'limited',
      description: key('belay.untrusted'),
      restrictedConfigurations: restrictedSettings(),
    },
    virtualWorkspaces: { supported: 'limited', description: key('belay.virtual') },
  },
  contributes: {
    commands: commands.map(([command, { icon }]) => ({
      command,
      title: `%${command}%`,
      category: 'Belay',
      ...(icon === undefined ? {} : { icon: `$(${icon})` }),
    })),
    configuration: settings.configuration,
    viewsContainers: { activitybar: [{ id: 'belay', title: key('belay.view.container'), icon: 'media/belay.svg' }] },
    views: { belay: [{ type: 'webview', id: 'belay.panel', name: key('belay.view.panel'), icon: 'media/belay.svg' }] },
    languageModelChatProviders: [
      { vendor: 'belay', displayName: key('belay.models.displayName'), managementCommand: 'belay.addProvider' },
    ],
    menus: {
      'view/title': commands
        .filter(([, definition]) => definition.inViewTitle)
        .map(([command], index) => ({ command, when: 'view == belay.panel', group: `navigation@${index + 1}` })),
      commandPalette: commands.flatMap(([command, { when }]) => (when === undefined ? [] : [{ command, when }])),
    },
    walkthroughs: [
      {
        id: 'start',
        title: key('walkthrough.title'),
        description: key('walkthrough.description'),
        steps: [
          step('connect', ['onSettingChanged:belay.providers']),
          step('chat', ['onContext:belay.answeredInChat']),
          step('panel', ['onView:belay.panel']),
          step('gateway', ['onContext:belay.gatewayRunning']),
          step('guard', ['onSettingChanged:belay.guard.mode']),
        ],
      },
    ],
  },
};

/** package.nls.json: the English words of every %key% in the manifest. */
export function localizedTexts(): Record<string, string> {
  return {
    ...Object.fromEntries(commands.map(([command, { title }]) => [command, title])),
    ...otherTexts,
    ...settings.texts,
  };
}

/** A copy of package.json with the VS Code part replaced; everything else, and the order of keys, is kept. */
export function applyManifest(packageJson: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...packageJson, ...manifest };
}
