// What of a request may leave (DESIGN 16), before anybody is chosen to get it: results that .belayignore keeps are withheld,
// and secrets are replaced where the settings say so. The way back puts the secrets into the answer again.
import type { ChatRequest, StreamEvent, StreamPart, ToolResultPart } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import { mapJsonStrings } from '../core/disclosure/jsonStrings.ts';
import { RestoredStream, restoreText } from '../core/disclosure/placeholders.ts';
import { scrubRequest } from '../core/disclosure/scrub.ts';
import { CallWords, namedResults, withhold } from '../core/disclosure/withhold.ts';
import type { Settings } from '../core/settings.ts';
import type { CallEvent, CallOptions } from './call.ts';
import type { Emit } from './eventLog.ts';
import type { IgnoredPaths, Ports } from './ports.ts';
import { SecretBook } from './secretBook.ts';

/** So many words of earlier requests are asked about again. */
const MAX_WORDS = 50_000;

/** A request as it may be sent, and how its answer becomes what the caller gets. */
export interface Prepared {
  readonly sent: ChatRequest;
  readonly restored: (events: AsyncIterable<CallEvent>) => AsyncIterable<CallEvent>;
}

export class Outgoing {
  private readonly ports: Pick<Ports, 'ignore'>;
  private readonly emit: Emit;
  private readonly secrets: SecretBook;
  private readonly calls = new CallWords();
  private readonly words = new Set<string>();
  private counted = new WeakSet<ReadonlySet<string>>();

  constructor(ports: Pick<Ports, 'ignore' | 'random'>, emit: Emit) {
    this.ports = ports;
    this.emit = emit;
    this.secrets = new SecretBook(ports.random);
  }

  /** Never rejects: what cannot be decided is withheld. */
  async prepare(
    request: ChatRequest,
    context: RequestContext,
    options: CallOptions,
    settings: Settings,
  ): Promise<Prepared> {
    const visible = await this.withhold(request, context, options);
    if (!settings.scrubSecrets) return { sent: visible, restored: (events) => events };
    const used = new Map<string, string>();
    const sent = scrubRequest(visible, this.secrets.namesFor(used));
    if (used.size === 0) return { sent, restored: (events) => events };
    const secretOf = (placeholder: string): string | undefined => {
      const secret = used.get(placeholder);
      if (secret !== undefined) this.secrets.wasRestored(secret);
      return secret;
    };
    const wasShown = this.secrets.wasShown.bind(this.secrets);
    return { sent, restored: (events) => restoredEvents(events, secretOf, wasShown) };
  }

  private async withhold(request: ChatRequest, context: RequestContext, options: CallOptions): Promise<ChatRequest> {
    const { ignore } = this.ports;
    if (!ignore) return request;
    if (!(await ignore.isActive().catch(() => true))) return request;
    const named = namedResults(request, this.calls);
    if (named.length === 0) return request;
    let ignored: IgnoredPaths | null;
    try {
      ignored = await ignore.ignored(this.asked(named.map(({ words }) => words)));
    } catch {
      // The port has a bug: nobody knows what it would have kept, so every result is kept.
      ignored = null;
    }
    const results = new Set<ToolResultPart>();
    const kept = ignored && [...ignored.words];
    for (const { result, words } of named)
      if (kept === null || kept.some((word) => words.has(word))) results.add(result);
    if (results.size > 0) this.tell(results.size, ignored, context, options);
    return withhold(request, results);
  }

  /** All words of these sets; those of earlier requests among them, for a conversation comes again and again. */
  private asked(sets: readonly ReadonlySet<string>[]): readonly string[] {
    if (this.words.size > MAX_WORDS) {
      this.words.clear();
      this.counted = new WeakSet();
    }
    for (const set of sets) {
      if (this.counted.has(set)) continue;
      this.counted.add(set);
      for (const word of set) this.words.add(word);
    }
    return [...this.words];
  }

  private tell(count: number, ignored: IgnoredPaths | null, context: RequestContext, options: CallOptions): void {
    const { tenant, client, task, step } = context;
    const call = options.requestId === undefined ? {} : { call: options.requestId };
    const [first] = ignored?.unreadable ?? [];
    const results = count === 1 ? '1 tool result was' : `${count} tool results were`;
    const why =
      first === undefined
        ? ignored === null
          ? 'since .belayignore could not be applied'
          : 'since .belayignore keeps the files that they name'
        : `since ${first} cannot be read and may keep the files that they name`;
    this.emit(
      { tenant, client, task, step, ...call },
      {
        type: 'notice',
        severity: first === undefined && ignored !== null ? 'info' : 'warning',
        message: `${results} withheld from the model ${why}.`,
        remedy: first === undefined ? 'Change .belayignore if the model may see them.' : `Make ${first} readable.`,
      },
    );
  }
}

type SecretOf = (placeholder: string) => string | undefined;
type WasShown = (written: string, shown: string) => void;

/** Longer texts of an answer are not remembered as they were shown. */
const MAX_SHOWN_CHARS = 100_000;

/** Texts that come in pieces, each kind with a stream of its own. */
type PieceType = 'text-delta' | 'thinking-delta' | 'refusal-delta';

/** The same events with secrets in place of placeholders. The provider's bytes hold placeholders, so they stay behind. */
async function* restoredEvents(
  events: AsyncIterable<CallEvent>,
  secretOf: SecretOf,
  wasShown: WasShown,
): AsyncGenerator<CallEvent> {
  const restorer = new Restorer(secretOf, wasShown);
  for await (const event of events) {
    if (event.type === 'event') {
      const parts = restorer.parts(event.event);
      if (parts.length > 0) yield { type: 'event', event: { parts } };
      continue;
    }
    const rest = event.type === 'committed' ? [] : restorer.end();
    if (rest.length > 0) yield { type: 'event', event: { parts: rest } };
    yield event;
  }
}

class Restorer {
  private readonly secretOf: SecretOf;
  private readonly stream: RestoredStream;
  private readonly wasShown: WasShown;
  private open: PieceType | null = null;
  private written = '';
  private shown = '';

  constructor(secretOf: SecretOf, wasShown: WasShown) {
    this.secretOf = secretOf;
    this.wasShown = wasShown;
    this.stream = new RestoredStream(secretOf);
  }

  parts(event: StreamEvent): readonly StreamPart[] {
    return event.parts.flatMap((part) => this.part(part));
  }

  /** What still waited for its end. */
  end(): readonly StreamPart[] {
    const text = this.stream.end();
    const type = this.open;
    this.open = null;
    if (type !== null && this.written.length <= MAX_SHOWN_CHARS) this.wasShown(this.written, this.shown + text);
    this.written = '';
    this.shown = '';
    return type === null || text === '' ? [] : [{ type, text }];
  }

  private part(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
      case 'thinking-delta':
      case 'refusal-delta': {
        const before = part.type === this.open ? [] : this.end();
        this.open = part.type;
        const text = this.stream.push(part.text);
        this.written += part.text;
        this.shown += text;
        return text === '' ? before : [...before, { type: part.type, text }];
      }
      case 'tool-call': {
        const argsText = mapJsonStrings(part.argsText, (value) => restoreText(value, this.secretOf));
        return [...this.end(), { ...part, argsText }];
      }
      case 'thinking-end':
      case 'finish':
        return [...this.end(), part];
      case 'response-start':
      case 'tool-call-progress':
      case 'usage':
        return [part];
      default:
        return part satisfies never;
    }
  }
}
