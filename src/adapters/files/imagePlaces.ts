// Where the image store keeps what: `images/ab/<hash>` a whole image, `images/ab/<hash>.parts` one that was cut into parts,
// `parts/a/<hash>` a chunk or a list of chunks.
import { join } from 'node:path';

export interface ImagePlaces {
  /** Folders of images and of parts; they exist when something is in them. */
  readonly imageFolders: readonly string[];
  readonly partFolders: readonly string[];
  whole(hash: string): string;
  cut(hash: string): string;
  part(hash: string): string;
}

/** Ending of images that were cut. */
export const CUT = '.parts';

const DIGITS = Array.from('0123456789abcdef');

export function imagePlaces(directory: string): ImagePlaces {
  const image = (hash: string): string => join(directory, 'images', hash.slice(0, 2), hash);
  return {
    imageFolders: DIGITS.flatMap((a) => DIGITS.map((b) => join(directory, 'images', a + b))),
    partFolders: DIGITS.map((digit) => join(directory, 'parts', digit)),
    whole: image,
    cut: (hash) => image(hash) + CUT,
    part: (hash) => join(directory, 'parts', hash.slice(0, 1), hash),
  };
}
