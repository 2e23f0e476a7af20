// The boundaries of DESIGN: who may know whom. test/unit/boundaries.test.ts plants a violation for every rule here.
const layer = (from, to) => ({
  name: `${from}-stays-in-its-layer`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^(src|webview|test)/', pathNot: to.map((t) => `^src/${t}`) },
});
const VSCODE = '(^|/)(vscode|@types/vscode)(/|$)';
const sdk = (name, packages, home) => ({
  name: `${name}-only-in-its-adapter`,
  severity: 'error',
  from: { pathNot: `^(${home}|test/)` },
  to: { path: `node_modules/(${packages})/` },
});
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
    layer('core', ['core/']),
    layer('engine', ['core/', 'engine/']),
    layer('adapters', ['core/', 'engine/', 'adapters/', 'protocol[.]ts$']),
    layer('gateway', ['core/', 'engine/', 'gateway/']),
    layer('hooks', ['core/', 'engine/', 'hooks/']),
    layer('bench', ['core/', 'engine/', 'gateway/', 'bench/', 'adapters/(?!vscode/)']),
    layer('cli', ['core/', 'engine/', 'gateway/', 'bench/', 'hooks/', 'cli/', 'adapters/(?!vscode/)']),
    {
      name: 'vscode-only-at-the-edge',
      severity: 'error',
      from: { path: '^(src|test)/', pathNot: '^(src/extension[.]ts$|src/adapters/vscode/|test/host/)' },
      to: { path: VSCODE, pathNot: '^src/adapters/vscode/' },
    },
    {
      name: 'vscode-not-even-transitively',
      severity: 'error',
      from: { path: '^src/(core|engine|gateway|bench|cli|hooks)/' },
      to: { reachable: true, path: VSCODE },
    },
    {
      name: 'core-has-no-io',
      severity: 'error',
      from: { path: '^src/core/' },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot: 'node_modules/(zod|unbash|canonicalize|pure-rand|@noble/hashes|node-diff3)/',
      },
    },
    {
      name: 'engine-has-no-io',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'], pathNot: 'node_modules/zod/' },
    },
    sdk('openai', 'openai', 'src/adapters/providers/'),
    sdk('anthropic', '@anthropic-ai', 'src/adapters/providers/'),
    sdk('aws', '@aws-sdk|@aws-crypto|@smithy', 'src/adapters/providers/(awsSignature|commandLineSignIn)[.]ts$'),
    sdk('google', 'google-auth-library', 'src/adapters/providers/(vertexProvider|commandLineSignIn)[.]ts$'),
    {
      name: 'clients-are-loaded-when-first-needed',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: 'node_modules/(openai|@anthropic-ai|@aws-sdk|@smithy|google-auth-library)/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'webview-sees-only-the-protocol',
      severity: 'error',
      from: { path: '^webview/' },
      to: { path: '^(src|test)/', pathNot: '^src/protocol[.]ts$' },
    },
    {
      name: 'engine-is-entered-by-its-front-door',
      severity: 'error',
      from: { path: '^src/(gateway|adapters|bench|hooks|cli|extension)' },
      to: { path: '^src/engine/', pathNot: '^src/engine/(controller|ports)[.]ts$' },
    },
    {
      name: 'source-never-imports-tests',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
