// What the HFR document asks for, cell by cell, written out by hand from its tables 2-5, 7 and 11 and the pseudo-code of 4.3, 4.4
// and 4.6 (preset `document`), and from section 7 of the simulator study (preset `plus`). Nothing here calls the code.
//
// Columns: budget full, one token left, none left; within each low, medium, high criticality.
//   Rs RETRY same   Ro RETRY other candidate   C COMPRESS   P REPLAN   F FAIL   E ESCALATE
//   Mn DEGRADE_MODEL at Ln   Dn DEGRADE_TOOL at Ln   Sn DEGRADE_SCOPE at Ln   Ma DEGRADE_MODEL to another account
//
// One token left: where only medium criticality's L3 could follow, it is kept for that (budgets are shared, 7.2, and checked
// before every retry and degradation, 4.1). None left: the fallback costs none. V1+: with new evidence; V1-: without.

export type Actor = 'model' | 'tool' | 'write' | 'irreversible';
export type World = 'rich' | 'bare';

/** Effect: R0 none; `write` R1 and R2, and `irreversible` R3, found absent by reconcile. */
export const decisionTable: Readonly<
  Record<'document' | 'plus', Readonly<Record<Actor, Readonly<Record<World, string>>>>>
> = {
  document: {
    model: {
      rich: `
        T1 T2 T3             | Ro Ro Ro | Ro M3 Ro | S4 F E
        T4                   | M0 M0 M0 | M0 M0 M0 | S4 F E
        T5                   | M0 M0 M0 | M0 M0 M0 | E  E E
        T6                   | C  C  C  | C  C  C  | S4 F E
        T7 T7/fixable        | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs M3 Rs | S4 E E
        V1-                  | P  P  P  | P  P  P  | S4 E E
        unknown              | Ro Ro E  | Ro M3 E  | S4 F E`,
      bare: `
        T1 T2 T3 T4          | Rs Rs Rs | Rs Rs Rs | F  F E
        T5                   | E  E  E  | E  E  E  | E  E E
        T6 T7 T7/fixable     | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs Rs Rs | E  E E
        V1-                  | E  E  E  | E  E  E  | E  E E
        unknown              | Rs Rs E  | Rs Rs E  | F  F E`,
    },
    tool: {
      rich: `
        T1 T2 T3             | Rs Rs Rs | Rs S3 Rs | S4 F E
        T4                   | D2 D2 D2 | D2 D2 D2 | S4 F E
        T5                   | D2 D2 D2 | D2 D2 D2 | E  E E
        T6                   | C  C  C  | C  C  C  | S4 F E
        T7 T7/fixable        | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs S3 Rs | S4 E E
        V1-                  | P  P  P  | P  P  P  | S4 E E
        unknown              | Rs Rs E  | Rs S3 E  | S4 F E`,
      bare: `
        T1 T2 T3 T4          | Rs Rs Rs | Rs Rs Rs | F  F E
        T5                   | E  E  E  | E  E  E  | E  E E
        T6 T7 T7/fixable     | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs Rs Rs | E  E E
        V1-                  | E  E  E  | E  E  E  | E  E E
        unknown              | Rs Rs E  | Rs Rs E  | F  F E`,
    },
    write: {
      rich: `
        T1 T2 T3             | Rs Rs Rs | Rs Rs Rs | F  F E
        T4                   | D2 D2 D2 | D2 D2 D2 | F  F E
        T5                   | D2 D2 D2 | D2 D2 D2 | E  E E
        T6                   | C  C  C  | C  C  C  | F  F E
        T7 T7/fixable        | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs Rs Rs | E  E E
        V1-                  | P  P  P  | P  P  P  | E  E E
        unknown              | Rs Rs E  | Rs Rs E  | F  F E`,
      bare: `
        T1 T2 T3 T4          | Rs Rs Rs | Rs Rs Rs | F  F E
        T5                   | E  E  E  | E  E  E  | E  E E
        T6 T7 T7/fixable     | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs Rs Rs | E  E E
        V1-                  | E  E  E  | E  E  E  | E  E E
        unknown              | Rs Rs E  | Rs Rs E  | F  F E`,
    },
    irreversible: {
      rich: `
        T1 T2 T3 T4 T6 unknown | E E E | E E E | E E E
        T5 V1+ V1-           | P  P  P  | P  P  P  | E  E E
        T7 T7/fixable        | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E`,
      bare: `
        T1 T2 T3 T4 T5 T6 V1+ V1- unknown | E E E | E E E | E E E
        T7 T7/fixable        | F  F  E  | F  F  E  | F  F E
        T7/permission T7/quota T8 | E E E | E E E | E E E`,
    },
  },
  plus: {
    model: {
      rich: `
        T1 T2 T3             | Ro Ro Ro | Ro M3 Ro | S4 E E
        T4                   | M0 M0 M0 | M0 M0 M0 | S4 E E
        T5                   | M0 M0 M0 | M0 M0 M0 | E  E E
        T6                   | C  C  C  | C  C  C  | S4 E E
        T7/fixable           | M0 M0 M0 | M0 M0 M0 | E  E E
        T7/quota             | Ma Ma Ma | Ma Ma Ma | E  E E
        T7 T7/permission T8  | E  E  E  | E  E  E  | E  E E
        V1+                  | Rs Rs Rs | Rs M3 Rs | S4 E E
        V1-                  | P  P  P  | P  P  P  | S4 E E
        unknown              | Ro Ro E  | Ro M3 E  | S4 E E`,
      bare: `
        T1 T2 T3 T4 V1+      | Rs Rs Rs | Rs Rs Rs | E  E E
        T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1- | E E E | E E E | E E E
        unknown              | Rs Rs E  | Rs Rs E  | E  E E`,
    },
    tool: {
      rich: `
        T1 T2 T3             | Rs Rs Rs | Rs S3 Rs | S4 E E
        T4                   | D2 D2 D2 | D2 D2 D2 | S4 E E
        T5 T7/fixable        | D2 D2 D2 | D2 D2 D2 | E  E E
        T6                   | C  C  C  | C  C  C  | S4 E E
        T7 T7/permission T7/quota T8 | E E E | E E E | E E E
        V1+                  | Rs Rs Rs | Rs S3 Rs | S4 E E
        V1-                  | P  P  P  | P  P  P  | S4 E E
        unknown              | Rs Rs E  | Rs S3 E  | S4 E E`,
      bare: `
        T1 T2 T3 T4 V1+      | Rs Rs Rs | Rs Rs Rs | E  E E
        T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1- | E E E | E E E | E E E
        unknown              | Rs Rs E  | Rs Rs E  | E  E E`,
    },
    write: {
      rich: `
        T1 T2 T3 V1+         | Rs Rs Rs | Rs Rs Rs | E  E E
        T4 T5 T7/fixable     | D2 D2 D2 | D2 D2 D2 | E  E E
        T6                   | C  C  C  | C  C  C  | E  E E
        T7 T7/permission T7/quota T8 | E E E | E E E | E E E
        V1-                  | P  P  P  | P  P  P  | E  E E
        unknown              | Rs Rs E  | Rs Rs E  | E  E E`,
      bare: `
        T1 T2 T3 T4 V1+      | Rs Rs Rs | Rs Rs Rs | E  E E
        T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1- | E E E | E E E | E E E
        unknown              | Rs Rs E  | Rs Rs E  | E  E E`,
    },
    irreversible: {
      rich: `
        T1 T2 T3 T4 T6 unknown | E E E | E E E | E E E
        T5 V1+ V1-           | P  P  P  | P  P  P  | E  E E
        T7 T7/fixable T7/permission T7/quota T8 | E E E | E E E | E E E`,
      bare: `
        T1 T2 T3 T4 T5 T6 V1+ V1- unknown | E E E | E E E | E E E
        T7 T7/fixable T7/permission T7/quota T8 | E E E | E E E | E E E`,
    },
  },
};

/**
 * A write whose effect is in doubt (UNKNOWN), in every preset and budget. `untried`: a probe exists and was not asked; `tried`:
 * it was, and could not tell. K RECONCILE; `as absent`: R1 may be repeated under its key, so as in the table for `write`.
 */
export const doubtTable: Readonly<Record<'R1' | 'R2' | 'R3', Readonly<Record<'untried' | 'tried', string>>>> = {
  R1: {
    untried: `
      T1 T2                | as absent
      T3 T4 T5 T6 T7 T7/fixable T7/permission T7/quota V1+ V1- | K K K
      T8                   | E E E
      unknown              | K K E`,
    tried: `
      T1 T2 T3             | as absent
      T4 T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1+ V1- | E E E
      unknown              | as absent`,
  },
  R2: {
    untried: `
      T1 T2 T3 T4 T5 T6 T7 T7/fixable T7/permission T7/quota V1+ V1- | K K K
      T8                   | E E E
      unknown              | K K E`,
    tried: `
      T1 T2 T3 T4 T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1+ V1- unknown | E E E`,
  },
  R3: {
    untried: `
      T1 T2 T3 T4 T5 T6 T7 T7/fixable T7/permission T7/quota V1+ V1- | K K K
      T8                   | E E E
      unknown              | K K E`,
    tried: `
      T1 T2 T3 T4 T5 T6 T7 T7/fixable T7/permission T7/quota T8 V1+ V1- unknown | E E E`,
  },
};
