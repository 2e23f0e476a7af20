// What the names of models say of them: whether two names are one model, and whether a served model is plainly not the one
// that was asked for. Careful both ways: a name that cannot be read says nothing. Words are data; new families go into the table.

/** A name without what providers put around it: folders, regions and vendors in front, variants behind. In lower case. */
export function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z-]+\.)+(?=[a-z])/, '')
    .replace(/:(?:free|nitro|floor|online|exacto|extended|beta|thinking)$/, '')
    .replace(/[@_\s]/g, '-');
}

/** The model that a candidate is asked for; `{model}` in its name stands for the caller's. */
export function askedName(model: string, requested: string): string {
  return model.replaceAll('{model}', () => requested);
}

/** What may follow a name without making it another: a date, a revision, a stage; `gpt-4o` and `gpt-4o-2024-08-06`. */
const VERSION =
  /^(?:[-:](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2}(?:-\d{4})?|\d{3,4}|\d{6}|\d{8}|v\d+(?::\d+)?|\d+:\d+|preview|exp|stable))+$/;

/** The more specific of two names of one model, or null where they are two models. Both plain. */
export function sameModel(a: string, b: string): string | null {
  // `x-latest` is a name for whatever is newest: any version of x may be it.
  const [x, y] = [a.replace(/-latest$/, ''), b.replace(/-latest$/, '')];
  const [short, long] = x.length <= y.length ? [x, y] : [y, x];
  const isOne = long.startsWith(short) && (long === short || VERSION.test(long.slice(short.length)));
  return isOne ? long : null;
}

/** Names that stand for a choice among models: another one each time is what they are for. */
const CHOOSERS: ReadonlySet<string> = new Set(['auto', 'router', 'model-router', 'fusion', 'default', 'best', 'any']);

/** Whether a name stands for a choice among models. Plain. */
export function isChooser(name: string): boolean {
  return CHOOSERS.has(name) || name === '';
}

/** Words by which a family is known, where they are a whole piece of the name or begin one (`gpt4`, `llama3`). */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  gpt: ['gpt', 'chatgpt'],
  'o-series': ['o1', 'o3', 'o4'],
  claude: ['claude'],
  gemini: ['gemini'],
  gemma: ['gemma'],
  llama: ['llama'],
  mistral: ['mistral', 'mixtral', 'ministral', 'magistral', 'codestral', 'devstral', 'pixtral'],
  qwen: ['qwen', 'qwq'],
  deepseek: ['deepseek'],
  grok: ['grok'],
  command: ['command'],
  phi: ['phi'],
  nova: ['nova'],
  glm: ['glm', 'chatglm'],
  kimi: ['kimi', 'moonshot'],
  minimax: ['minimax'],
};

/** Words of small or fast models. */
const SMALL_WORDS: ReadonlySet<string> = new Set(['mini', 'nano', 'micro', 'lite', 'tiny', 'small', 'haiku', 'flash']);

/**
 * Why `served` is plainly not what was asked for, or null. The rule: both names must be of a known family, and then the
 * families differ, or the served name has a word of small models that the asked one lacks. Names of deployments, aliases and
 * choosers are of no family, so nothing is said of them.
 */
export function plainMismatch(asked: string, served: string): string | null {
  const [ours, theirs] = [plainName(asked), plainName(served)];
  if (isChooser(ours)) return null;
  const [askedFamilies, servedFamilies] = [familiesOf(ours), familiesOf(theirs)];
  if (askedFamilies.length === 0 || servedFamilies.length === 0) return null;
  if (!askedFamilies.some((family) => servedFamilies.includes(family)))
    return `another family: ${servedFamilies.join(', ')}, not ${askedFamilies.join(', ')}`;
  const askedPieces = piecesOf(ours);
  const small = piecesOf(theirs).find((piece) => SMALL_WORDS.has(piece) && !askedPieces.includes(piece));
  return small === undefined ? null : `a smaller model: "${small}"`;
}

const piecesOf = (name: string): readonly string[] => name.split(/[-.:]/);

function familiesOf(name: string): readonly string[] {
  const pieces = piecesOf(name);
  return Object.entries(FAMILIES).flatMap(([family, words]) => {
    const isOf = (piece: string): boolean =>
      words.some((word) => piece === word || (piece.startsWith(word) && /^v?\d/.test(piece.slice(word.length))));
    return pieces.some(isOf) ? [family] : [];
  });
}
