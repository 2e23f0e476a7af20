// The panel: takes whole snapshots from the host, draws head and tabs, sends intents. It keeps nothing that the host does
// not send but the choice of tab, role and window, which survives a reload of the view.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { HostMessage, PanelCommand, PanelIntent, SnapshotMessage } from '../src/protocol.ts';
import { candidatesTab } from './candidates.ts';
import { decisionsTab } from './decisions.ts';
import { emptyState, isRacing, nowHeader } from './now.ts';
import './panel.css';
import { actionWords, faultWords, t, useWords } from './words.ts';

interface VsCodeApi {
  postMessage(message: PanelIntent): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

const tabs = ['candidates', 'decisions'] as const;
type Tab = (typeof tabs)[number];

/** Window of events: asked for in steps, within the bounds of the protocol. */
const WINDOW_STEP = 200;
const MOST_EVENTS = 2000;
/** A running race is redrawn so often; once a second where less motion is wanted. */
const TICK_MS = 100;
const CALM_TICK_MS = 1000;

class BelayPanel extends LitElement {
  static override properties = {
    message: { state: true },
    tab: { state: true },
    chosenRole: { state: true },
    tick: { state: true },
  };
  declare message: SnapshotMessage | null;
  declare tab: Tab;
  declare chosenRole: string;
  declare tick: number;

  readonly #api = acquireVsCodeApi();
  readonly #reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
  #receivedMs = 0;
  #windowSize = WINDOW_STEP;
  #timer: number | null = null;
  #announced = 0;
  #announcement = '';

  constructor() {
    super();
    this.message = null;
    this.tick = 0;
    const { tab, role, windowSize } = savedState(this.#api.getState());
    this.tab = tab;
    this.chosenRole = role;
    this.#windowSize = windowSize;
  }

  /** Light DOM: the style sheets of the page apply, and no inline style is ever needed. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.#onMessage);
    this.#send({ type: 'ready' });
    if (this.#windowSize !== WINDOW_STEP) this.#send({ type: 'show-events', count: this.#windowSize });
  }

  override disconnectedCallback(): void {
    window.removeEventListener('message', this.#onMessage);
    if (this.#timer !== null) window.clearInterval(this.#timer);
    super.disconnectedCallback();
  }

  readonly #onMessage = (event: MessageEvent<HostMessage>): void => {
    const { data } = event;
    if (data.type === 'words') {
      document.documentElement.lang = data.language;
      useWords(data.words);
      return;
    }
    if (this.message && data.number <= this.message.number) return;
    this.#receivedMs = performance.now();
    this.message = data;
    this.#announce(data);
  };

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('message')) return;
    const isMoving = this.message !== null && isRacing(this.message.snapshot);
    if (isMoving && this.#timer === null) {
      this.#timer = window.setInterval(() => (this.tick += 1), this.#reducedMotion.matches ? CALM_TICK_MS : TICK_MS);
    } else if (!isMoving && this.#timer !== null) {
      window.clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  protected override render(): TemplateResult {
    const { message } = this;
    if (!message) return html`<p class="hint">${t('Belay is starting')}</p>`;
    const empty = emptyState(message, this.#run);
    if (empty) return empty;
    const nowMs = message.nowMs + (performance.now() - this.#receivedMs);
    return html`
      <header class="now">${nowHeader(message, nowMs, this.#run)}</header>
      ${this.#tabList(message)}
      <div class="tab-content" role="tabpanel" id="content" aria-labelledby="tab-${this.tab}" tabindex="0">
        ${guard([message, this.tab, this.chosenRole], () => this.#content(message))}
      </div>
      <div class="announcer" role="status" aria-live="polite">${this.#announcement}</div>
    `;
  }

  /** Drawn anew for a new message only, not for each tick of the race. */
  #content(message: SnapshotMessage): TemplateResult {
    return this.tab === 'candidates'
      ? candidatesTab(message, { role: this.chosenRole, chooseRole: this.#chooseRole, run: this.#run })
      : decisionsTab(message, this.#showEarlier);
  }

  #tabList({ snapshot, mode }: SnapshotMessage): TemplateResult {
    const names: Readonly<Record<Tab, string>> = { candidates: t('Candidates'), decisions: t('Decisions') };
    const waiting = snapshot.questions.length + snapshot.totals.unknownEffects;
    return html`<div class="tab-bar">
      <div role="tablist" aria-label="Belay" @keydown=${this.#onTabKey}>
        ${tabs.map(
          (tab) =>
            html`<button
              type="button"
              role="tab"
              id="tab-${tab}"
              aria-controls="content"
              aria-selected=${tab === this.tab}
              tabindex=${tab === this.tab ? 0 : -1}
              @click=${() => this.#choose(tab)}
            >
              ${names[tab]}${tab === 'decisions' && waiting > 0 ? html` <span class="badge">${waiting}</span>` : nothing}
            </button>`,
        )}
      </div>
      <span class="mode" title=${t('Set by belay.mode')}>${mode}</span>
    </div>`;
  }

  /** Roving focus: arrows, Home and End move and choose at once. */
  readonly #onTabKey = (event: KeyboardEvent): void => {
    const index = tabs.indexOf(this.tab);
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const tab = tabs[(target + tabs.length) % tabs.length];
    if (tab === undefined) return;
    this.#choose(tab);
    void this.updateComplete.then(() => document.getElementById(`tab-${tab}`)?.focus());
  };

  #choose(tab: Tab): void {
    this.tab = tab;
    this.#save();
  }

  readonly #chooseRole = (role: string): void => {
    this.chosenRole = role;
    this.#save();
  };

  readonly #showEarlier = (): void => {
    this.#windowSize = Math.min(MOST_EVENTS, this.#windowSize + WINDOW_STEP);
    this.#save();
    this.#send({ type: 'show-events', count: this.#windowSize });
  };

  readonly #run = (command: PanelCommand): void => this.#send({ type: 'run-command', command });

  #send(intent: PanelIntent): void {
    this.#api.postMessage(intent);
  }

  #save(): void {
    this.#api.setState({ tab: this.tab, role: this.chosenRole, windowSize: this.#windowSize });
  }

  /** Says a new recovery decision to a screen reader, the last one only. */
  #announce({ events }: SnapshotMessage): void {
    const event = events.findLast(({ body }) => body.type === 'decision-made' && body.fault !== null);
    if (!event || event.seq <= this.#announced) return;
    this.#announced = event.seq;
    const { body } = event;
    if (body.type === 'decision-made' && body.fault)
      this.#announcement = t('{0}: {1}', faultWords(body.fault.class), actionWords(body.action));
  }
}

/** What the view kept of itself; anything unexpected is as good as nothing. */
function savedState(state: unknown): { readonly tab: Tab; readonly role: string; readonly windowSize: number } {
  const usual = { tab: tabs[0], role: '', windowSize: WINDOW_STEP };
  if (typeof state !== 'object' || state === null) return usual;
  const tab = 'tab' in state ? tabs.find((name) => name === state.tab) : undefined;
  const role = 'role' in state && typeof state.role === 'string' ? state.role : '';
  const size = 'windowSize' in state && typeof state.windowSize === 'number' ? state.windowSize : WINDOW_STEP;
  return { tab: tab ?? usual.tab, role, windowSize: Math.min(MOST_EVENTS, Math.max(WINDOW_STEP, Math.round(size))) };
}

customElements.define('belay-panel', BelayPanel);
