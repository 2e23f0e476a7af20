// Every setting in one schema, in two tiers: fewer than 30 visible ones, and all other constants in `belay.advanced`.
// package.json's configuration block is generated from here (core/settingsManifest.ts). Keys are never settings.
import * as z from 'zod';
import { advancedSchema } from './settingsAdvanced.ts';
import { disclosureRuleSchema, residencySchema, type DisclosureRuleSettings } from './settingsDisclosure.ts';
import {
  providerSchema,
  tierSchema,
  usableProviders,
  type PlacedProvider,
  type ProviderSettings,
} from './settingsProviders.ts';

const routeSchema = z.object({
  candidates: z
    .array(z.string().min(1))
    .min(1)
    .describe('Candidate ids or patterns with *, in your order of preference.'),
  tier: tierSchema.optional().describe('Requested tier; default: the highest among its candidates.'),
  order: z
    .enum(['ranked', 'listed'])
    .default('ranked')
    .describe(
      'ranked: the best by what was learned goes first. listed: always in your order, the next one only when needed.',
    ),
  pinned: z.boolean().default(false).describe('Never replace it by anything else: it answers or it is an error.'),
});

const ruleSchema = z.object({
  match: z.string().min(1).describe('A whole command, or a program with an optional subcommand, e.g. "git push".'),
  verdict: z.enum(['allow', 'ask', 'deny']),
  reason: z.string().default(''),
});

/** One visible setting: its schema (with default), where it may be set, and the words a person reads. */
export interface SettingDefinition {
  readonly schema: z.ZodType;
  /** VS Code's scope; whatever could loosen the guard or send code elsewhere is never a workspace setting. */
  readonly scope: 'application' | 'machine' | 'window' | 'resource';
  readonly description: string;
}

/** The visible settings by their full name, in the order the settings page shows them. */
export const settingDefinitions = {
  'belay.providers': {
    schema: z.array(providerSchema).default([]),
    scope: 'machine',
    description:
      'Providers that model calls may go to. Keys are kept in the secret storage, never here. Use "Belay: Add Provider".',
  },
  'belay.routes': {
    schema: z.record(z.string().min(1), routeSchema).default({}),
    scope: 'machine',
    description:
      'Which candidates serve which model name. A name may contain *. Without a matching route every candidate is used.',
  },
  'belay.disclosure.rules': {
    schema: z.array(disclosureRuleSchema).default([]),
    scope: 'resource',
    description:
      'Who may see code: which vendor, region and role is allowed, asked about or denied. deny wins over ask, ask over allow; what no rule names is asked about at first use. A workspace may only add ask and deny.',
  },
  'belay.disclosure.residency': {
    schema: residencySchema.default([]),
    scope: 'resource',
    description:
      'Where data may be processed, e.g. eu. Empty: anywhere. A region whose place is not known for sure is then not used. A workspace may only narrow it.',
  },
  'belay.disclosure.scrubSecrets': {
    schema: z.boolean().default(false),
    scope: 'resource',
    description:
      'Replaces what looks like a key or password in outgoing prompts by a placeholder, and puts it back into the answer. A workspace may only turn it on.',
  },
  'belay.mode': {
    schema: z.enum(['balanced', 'fast', 'literal']).default('balanced'),
    scope: 'window',
    description:
      'balanced starts the best candidate and hedges when it is slow or fails. fast starts two where one is not reliable enough and hedges earlier: shorter waits for about 1.8 times the tokens. literal starts the whole hedge set at once and waits for the best-ranked answer, as in the HACO paper.',
  },
  'belay.criticality': {
    schema: z.enum(['low', 'medium', 'high']).default('medium'),
    scope: 'resource',
    description:
      'How much a failure costs where the caller does not say: decides checks, degradation and when a person is asked.',
  },
  'belay.callDeadlineSeconds': {
    schema: z.number().min(5).max(3600).default(120),
    scope: 'window',
    description: 'After so many seconds a model call is given up, whatever it is waiting for.',
  },
  'belay.guard.mode': {
    schema: z.enum(['careful', 'balanced', 'autonomous']).default('balanced'),
    scope: 'application',
    description:
      'What is asked about. careful asks before every write. balanced lets edits that can be undone and repeatable commands through and asks about the rest. autonomous asks only about what no mode may do unasked.',
  },
  'belay.guard.rules': {
    schema: z.array(ruleSchema).default([]),
    scope: 'application',
    description: 'Your own rules for commands. deny wins over ask, ask over allow; the order does not matter.',
  },
  'belay.gateway.enabled': {
    schema: z.boolean().default(false),
    scope: 'machine',
    description: 'Runs the loopback gateway, so that any agent that takes a base URL can use Belay.',
  },
  'belay.gateway.port': {
    schema: z.int().min(0).max(65_535).default(4523),
    scope: 'machine',
    description: 'Port of the gateway on 127.0.0.1; 0 takes any free one.',
  },
  'belay.advanced': {
    schema: advancedSchema.prefault({}),
    scope: 'machine',
    description: 'Every other constant, by its symbol or meaning, with unit. Leave it alone unless you know why.',
  },
} as const satisfies Record<string, SettingDefinition>;

export type { ProviderSettings } from './settingsProviders.ts';
export type RouteSettings = z.infer<typeof routeSchema>;
export type { DisclosureRuleSettings } from './settingsDisclosure.ts';
export type GuardRuleSettings = z.infer<typeof ruleSchema>;
export type AdvancedSettings = z.infer<typeof advancedSchema>;

/** All settings, checked and frozen; a change makes a new one. */
export interface Settings {
  readonly providers: readonly ProviderSettings[];
  readonly routes: Readonly<Record<string, RouteSettings>>;
  readonly disclosureRules: readonly DisclosureRuleSettings[];
  /** Allowed residency tags in lower case; empty: anywhere. */
  readonly residency: readonly string[];
  readonly scrubSecrets: boolean;
  readonly mode: 'balanced' | 'fast' | 'literal';
  readonly criticality: 'low' | 'medium' | 'high';
  readonly callDeadlineSeconds: number;
  readonly guardMode: 'careful' | 'balanced' | 'autonomous';
  readonly guardRules: readonly GuardRuleSettings[];
  readonly gatewayEnabled: boolean;
  readonly gatewayPort: number;
  readonly advanced: AdvancedSettings;
}

/** A setting that could not be used as written: where, what, and what to do. The rest keeps working. */
export interface SettingProblem {
  readonly path: string;
  readonly message: string;
}

/** A member of a list and where it stands there. */
interface Placed<T> {
  readonly index: number;
  readonly value: T;
}

export interface ParsedSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
}

/**
 * Reads raw values by full name (`belay.mode`, ...). A bad value is replaced by its default and reported; of a list or
 * record only the bad members are left out. A bad guard rule makes the guard `careful`: it fails closed.
 */
export function parseSettings(raw: Readonly<Record<string, unknown>>): ParsedSettings {
  const problems: SettingProblem[] = [];
  const report = (path: string, error: z.ZodError): void => {
    for (const issue of error.issues.slice(0, 3)) {
      problems.push({ path: [path, ...issue.path.map(String)].join('.'), message: issue.message });
    }
  };
  const read = <S extends z.ZodType>(name: string, schema: S): z.output<S> => {
    const parsed = schema.safeParse(raw[name] ?? undefined);
    if (parsed.success) return parsed.data;
    report(name, parsed.error);
    return schema.parse(undefined);
  };
  const placed = <S extends z.ZodType>(name: string, schema: S, value: unknown): Placed<z.output<S>>[] => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) {
      problems.push({ path: name, message: 'expected a list' });
      return [];
    }
    return value.flatMap((item: unknown, index): Placed<z.output<S>>[] => {
      const parsed = schema.safeParse(item);
      if (parsed.success) return [{ index, value: parsed.data }];
      report(`${name}.${index}`, parsed.error);
      return [];
    });
  };
  const members = <S extends z.ZodType>(name: string, schema: S, value: unknown): z.output<S>[] =>
    placed(name, schema, value).map((each) => each.value);

  const providers: PlacedProvider[] = placed('belay.providers', providerSchema, raw['belay.providers']).map(
    ({ index, value }) => ({ index, provider: value }),
  );
  const rulesBefore = problems.length;
  const guardRules = members('belay.guard.rules', ruleSchema, raw['belay.guard.rules']);
  const hasBadRule = problems.length > rulesBefore;
  const disclosureBefore = problems.length;
  const disclosureRules = members('belay.disclosure.rules', disclosureRuleSchema, raw['belay.disclosure.rules']);
  // The rule that could not be read may have been a deny: until it is mended everything is asked about.
  if (problems.length > disclosureBefore) disclosureRules.push({ vendor: '*', region: '*', role: '*', verdict: 'ask' });
  const settings: Settings = {
    disclosureRules,
    residency: readResidency(raw['belay.disclosure.residency'], problems),
    scrubSecrets: read('belay.disclosure.scrubSecrets', settingDefinitions['belay.disclosure.scrubSecrets'].schema),
    providers: usableProviders(providers, (path, message) => problems.push({ path, message })),
    routes: readRoutes(raw['belay.routes'], problems, report),
    mode: read('belay.mode', settingDefinitions['belay.mode'].schema),
    criticality: read('belay.criticality', settingDefinitions['belay.criticality'].schema),
    callDeadlineSeconds: read('belay.callDeadlineSeconds', settingDefinitions['belay.callDeadlineSeconds'].schema),
    guardMode: hasBadRule ? 'careful' : readGuardMode(raw['belay.guard.mode'], problems),
    guardRules,
    gatewayEnabled: read('belay.gateway.enabled', settingDefinitions['belay.gateway.enabled'].schema),
    gatewayPort: read('belay.gateway.port', settingDefinitions['belay.gateway.port'].schema),
    advanced: read('belay.advanced', settingDefinitions['belay.advanced'].schema),
  };
  return { settings: Object.freeze(settings), problems };
}

function readGuardMode(value: unknown, problems: SettingProblem[]): Settings['guardMode'] {
  const parsed = settingDefinitions['belay.guard.mode'].schema.safeParse(value ?? undefined);
  if (parsed.success) return parsed.data;
  problems.push({
    path: 'belay.guard.mode',
    message: 'expected careful, balanced or autonomous; careful is used until it is mended',
  });
  return 'careful';
}

/** No place has this tag, so that nothing is sent anywhere while the rule cannot be read. */
const NOWHERE = '(unreadable)';

function readResidency(value: unknown, problems: SettingProblem[]): readonly string[] {
  const parsed = residencySchema.safeParse(value ?? []);
  if (parsed.success) return parsed.data;
  problems.push({
    path: 'belay.disclosure.residency',
    message: 'expected a list of places, e.g. ["eu"]; nothing is sent until it is mended',
  });
  return [NOWHERE];
}

function readRoutes(
  value: unknown,
  problems: SettingProblem[],
  report: (path: string, error: z.ZodError) => void,
): Record<string, RouteSettings> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push({ path: 'belay.routes', message: 'expected an object of model names' });
    return {};
  }
  // Any text may be a model name, also one that every object has: entries are made, never assigned.
  const entries = Object.entries(value).flatMap(([name, route]): [string, RouteSettings][] => {
    const parsed = routeSchema.safeParse(route);
    if (parsed.success) return [[name, parsed.data]];
    report(`belay.routes.${name}`, parsed.error);
    return [];
  });
  return Object.fromEntries(entries);
}
