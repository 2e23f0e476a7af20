// The questions of a dialogue as VS Code's quick inputs: with Back, with the step's number, kept open when the focus goes.
import * as vscode from 'vscode';
import type { Place } from './steps.ts';

/** An answer, or where the person went instead. */
export type Asked<T> = { readonly go: 'next'; readonly value: T } | { readonly go: 'back' } | { readonly go: 'away' };

/** What every question has. */
export interface Question {
  /** Absent: a question of its own, without number and Back. */
  readonly place?: Place;
  readonly title: string;
  readonly prompt: string;
}

/** A pick list. */
export interface PickQuestion<I extends vscode.QuickPickItem> extends Question {
  readonly items: readonly I[];
  /** What the list becomes once this is known. */
  readonly later?: Promise<readonly I[]>;
}

/** One of several. */
export async function pickOne<I extends vscode.QuickPickItem>(question: PickQuestion<I>): Promise<Asked<I>> {
  const input = vscode.window.createQuickPick<I>();
  input.items = question.items;
  if (question.later) {
    input.busy = true;
    void question.later.then((items) => {
      const [active] = input.activeItems;
      input.items = items;
      const same = items.find(({ label, kind }) => label === active?.label && kind === active.kind);
      if (same && input.value !== '') input.activeItems = [same];
      input.busy = false;
    });
  }
  return ask(input, question, () => input.activeItems[0]);
}

/** Some of several, at least one; `own` makes an item of what is typed and not on the list. */
export async function pickSome<I extends vscode.QuickPickItem>(
  question: PickQuestion<I> & {
    readonly own?: (text: string) => I | null;
    /** Items that only inform: they cannot be chosen. */
    readonly isChoosable?: (item: I) => boolean;
  },
): Promise<Asked<readonly I[]>> {
  const input = vscode.window.createQuickPick<I>();
  const { own, isChoosable } = question;
  const added: I[] = [];
  input.canSelectMany = true;
  input.items = question.items;
  input.selectedItems = question.items.filter(({ picked }) => picked === true);
  const offer = (typed: string): void => {
    const item = typed === '' ? null : (own?.(typed) ?? null);
    const known = [...added, ...question.items];
    const isNew = item !== null && !known.some(({ label }) => label === item.label);
    const selected = input.selectedItems;
    input.items = isNew ? [item, ...known] : known;
    input.selectedItems = selected;
  };
  const listeners = [
    input.onDidChangeValue((value) => {
      if (own) offer(value.trim());
    }),
    input.onDidChangeSelection((items) => {
      for (const item of items) if (!question.items.includes(item) && !added.includes(item)) added.push(item);
      if (isChoosable && !items.every(isChoosable)) input.selectedItems = items.filter(isChoosable);
    }),
  ];
  const answer = await ask(input, question, () => (input.selectedItems.length > 0 ? input.selectedItems : undefined));
  vscode.Disposable.from(...listeners).dispose();
  return answer;
}

/** A line of text. `check` says what is wrong with it, or nothing. */
export async function askText(
  question: Question & {
    readonly value: string;
    readonly isSecret?: boolean;
    readonly placeholder?: string;
    readonly check: (text: string) => string | undefined;
  },
): Promise<Asked<string>> {
  const input = vscode.window.createInputBox();
  input.value = question.value;
  input.password = question.isSecret ?? false;
  input.prompt = question.prompt;
  if (question.placeholder !== undefined) input.placeholder = question.placeholder;
  const listener = input.onDidChangeValue((text) => {
    input.validationMessage = question.check(text.trim());
  });
  const answer = await ask(input, question, () => {
    const text = input.value.trim();
    input.validationMessage = question.check(text);
    return input.validationMessage === undefined ? text : undefined;
  });
  listener.dispose();
  return answer;
}

/** Shows an input until it is answered; `read` gives the value, or nothing while there is none. */
function ask<T>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  { place, title, prompt }: Question,
  read: () => T | undefined,
): Promise<Asked<T>> {
  input.title = title;
  input.ignoreFocusOut = true;
  if (place) {
    input.step = place.step;
    input.totalSteps = place.totalSteps;
    if (place.canGoBack) input.buttons = [vscode.QuickInputButtons.Back];
  }
  if ('items' in input) {
    input.placeholder = prompt;
    input.matchOnDescription = true;
    input.matchOnDetail = true;
  }
  return new Promise((resolve) => {
    const finish = (answer: Asked<T>): void => {
      resolve(answer);
      input.dispose();
    };
    input.onDidTriggerButton(() => finish({ go: 'back' }));
    input.onDidHide(() => finish({ go: 'away' }));
    input.onDidAccept(() => {
      const value = read();
      if (value !== undefined) finish({ go: 'next', value });
    });
    input.show();
  });
}

/** Shows that something is being done, in the place of the question; leaving or going back aborts it. */
export async function whileBusy<T>(
  { place, title, prompt }: Question,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Asked<T>> {
  const input = vscode.window.createQuickPick();
  const cancel = new AbortController();
  input.busy = true;
  const left = ask<T>(
    input,
    { ...(place ? { place: { ...place, canGoBack: true } } : {}), title, prompt },
    () => undefined,
  );
  const done = work(cancel.signal).then((value): Asked<T> => ({ go: 'next', value }));
  try {
    return await Promise.race([left, done]);
  } finally {
    cancel.abort();
    input.dispose();
    // What it still has to say does not matter any more.
    done.catch(() => undefined);
  }
}

/** A line between groups of a pick list. */
export function separator(label: string): vscode.QuickPickItem & { readonly kind: vscode.QuickPickItemKind.Separator } {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
