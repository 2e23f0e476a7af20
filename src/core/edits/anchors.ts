// Anchors of hunks (`@@ class A`): the part of a file that such a line opens. It reaches as far as the lines stay indented
// deeper; under an anchor in a flat text, to the end.
import { indentOf } from './indentation.ts';
import type { TextLines } from './lines.ts';

/** Lines `start` up to, not with, `end`, from 0. */
export interface Scope {
  readonly start: number;
  readonly end: number;
}

/** Anchor lines that are looked at. */
const MAX_SCOPES = 100;

/** What closes a block or opens its body, so that it does not end a scope. */
const BRACKET = /^(?:[\])}{]|end\b)/;

/** The parts of the file that a chain of anchors (outer ones first) opens; none where the anchors are not there. */
export function scopesOf(file: TextLines, anchors: readonly string[]): readonly Scope[] {
  let scopes: readonly Scope[] = [{ start: 0, end: file.count }];
  for (const anchor of anchors.map((text) => text.trim())) {
    if (anchor === '') continue;
    const inner = scopes.flatMap((scope) => anchorLines(file, anchor, scope)).slice(0, MAX_SCOPES);
    scopes = inner.map((line) => ({ start: line, end: scopeEnd(file, line) }));
  }
  return scopes;
}

function anchorLines({ texts }: TextLines, anchor: string, { start, end }: Scope): readonly number[] {
  const whole: number[] = [];
  const begun: number[] = [];
  for (let i = start; i < end; i++) {
    const line = (texts[i] ?? '').trim();
    if (line === anchor) whole.push(i);
    // Diffs cut long headings off.
    else if (line.startsWith(anchor)) begun.push(i);
  }
  return whole.length > 0 ? whole : begun;
}

function scopeEnd({ texts, count }: TextLines, line: number): number {
  const depth = indentOf(texts[line] ?? '').length;
  let isDeeper = false;
  for (let i = line + 1; i < count; i++) {
    const text = texts[i] ?? '';
    if (text.trim() === '') continue;
    const isInside = indentOf(text).length > depth;
    if (!isInside && !BRACKET.test(text.trim())) return isDeeper ? i : count;
    isDeeper ||= isInside;
  }
  return count;
}
