// Rounding of a fraction to whole minor units. Symmetric around zero, so that a refund rounds like its charge.

/** Halves go away from zero: 2.5 -> 3, -2.5 -> -3. */
export function halfUp(value) {
  return Math.sign(value) * Math.round(Math.abs(value));
}

/** Halves go to the even neighbour: 2.5 -> 2, 3.5 -> 4, -2.5 -> -2. */
export function halfEven(value) {
  const size = Math.abs(value);
  const below = Math.floor(size);
  const isHalf = size - below === 0.5;
  const rounded = isHalf ? below + (below % 2) : Math.round(size);
  return Math.sign(value) * rounded;
}
