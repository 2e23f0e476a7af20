// Every command of the extension, once: its id, title and where VS Code shows it. The manifest is generated from this
// table and registering goes through it, so a command cannot be declared without a handler or the other way round.
// Must not import vscode: the build reads it too.

/** One command. `icon` is a codicon name; `when` limits the palette; `inViewTitle` puts it above the panel. */
export interface CommandDefinition {
  readonly title: string;
  readonly icon?: string;
  readonly when?: string;
  readonly inViewTitle?: boolean;
}

/** Context key that is true while the gateway listens. */
export const GATEWAY_RUNNING_KEY = 'belay.gatewayRunning';

/** The commands by id. Titles are English source texts; their translations are in package.nls.*.json. */
export const commandTable = {
  'belay.openPanel': { title: 'Open Panel', icon: 'shield' },
  'belay.addProvider': { title: 'Add Provider', icon: 'add', inViewTitle: true },
  'belay.importProviders': { title: 'Import Providers', icon: 'cloud-download' },
  'belay.checkProviders': { title: 'Check Providers', icon: 'pulse' },
  'belay.removeProviderKey': { title: 'Remove Provider Key', icon: 'key' },
  'belay.startGateway': { title: 'Start Gateway', icon: 'debug-start', when: `!${GATEWAY_RUNNING_KEY}` },
  'belay.stopGateway': { title: 'Stop Gateway', icon: 'debug-stop', when: GATEWAY_RUNNING_KEY },
  'belay.copyGatewayAddress': { title: 'Copy Gateway URL or Token', icon: 'copy', when: GATEWAY_RUNNING_KEY },
  'belay.undoChanges': { title: 'Undo Changes', icon: 'discard' },
  'belay.reviewUnknownEffects': { title: 'Review Unknown Effects', icon: 'question' },
  'belay.showCommands': { title: 'Show Guarded Commands', icon: 'terminal' },
  'belay.forgetDisclosureAnswers': { title: 'Forget Disclosure Answers', icon: 'clear-all' },
  'belay.showLog': { title: 'Show Log', icon: 'output', inViewTitle: true },
} as const satisfies Record<`belay.${string}`, CommandDefinition>;

export type CommandId = keyof typeof commandTable;
