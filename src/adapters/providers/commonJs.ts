// The clouds' packages are CommonJS. Loaded at the first call and out of the product's bundle, such a package has its exports
// below `default` only; out of node_modules it has them there as well.

/** The exports of a CommonJS package that was loaded by `import()`. */
export function exportsOf<T extends object>(loaded: T): T {
  const inner: unknown = 'default' in loaded ? loaded.default : undefined;
  // For CommonJS `default` is the exports object itself, which `T` describes.
  return typeof inner === 'object' && inner !== null ? (inner as T) : loaded;
}
