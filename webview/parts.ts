// Small pieces that several tabs draw: icons, bars, buttons. Colour never says anything alone: a word or shape says it too.
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { PanelCommand } from '../src/protocol.ts';

/** What a button does: it asks the host to run a command. */
export type RunCommand = (command: PanelCommand) => void;

/** A codicon; decoration only, the word stands beside it. */
export function icon(name: string, className = ''): TemplateResult {
  return html`<span class="codicon codicon-${name} ${className}" aria-hidden="true"></span>`;
}

/** A bar from 0 to 1 with an interval around its value (no interval where `spread` is 0). */
export function bar(value: number, spread: number, label: string, className: string): TemplateResult {
  const at = (position: number): number => Math.min(100, Math.max(0, position * 100));
  const from = at(value - spread);
  const interval =
    spread > 0
      ? svg`<rect class="bar-interval" x=${from} y="2.5" width=${at(value + spread) - from} height="3" rx="1.5"></rect>`
      : nothing;
  return html`<svg
    class="bar ${className}"
    viewBox="0 0 100 8"
    preserveAspectRatio="none"
    role="img"
    aria-label=${label}
  >
    <rect class="bar-track" x="0" y="1" width="100" height="6" rx="1"></rect>
    <rect class="bar-fill" x="0" y="1" width=${at(value)} height="6" rx="1"></rect>
    ${interval}
  </svg>`;
}

/** Short facts side by side; each stays whole where it can, empty ones are left out. */
export function facts(pieces: readonly string[], className = 'meta'): TemplateResult {
  return html`<span class="facts ${className}"
    >${pieces.filter((piece) => piece !== '').map((piece) => html`<span>${piece}</span>`)}</span
  >`;
}

/** A button with an icon and a word. */
export function button(label: string, iconName: string, onClick: () => void, isPrimary = false): TemplateResult {
  return html`<button type="button" class=${isPrimary ? 'button primary' : 'button'} @click=${onClick}>
    ${icon(iconName)}<span>${label}</span>
  </button>`;
}
