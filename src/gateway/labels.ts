// Keeps names that callers choose from growing what is kept by name (rankings, profiles, metrics) without end.

/** Where every name beyond the limit goes. */
export const OTHER_LABEL = 'other';
/** Different roles that are told apart. Belay's own are about ten. */
export const MAX_ROLES = 50;

/** The first `limit` different names as they are, all later ones as `other`. */
export function boundedLabels(limit: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (!known.has(name) && known.size >= limit) return OTHER_LABEL;
    known.add(name);
    return name;
  };
}
