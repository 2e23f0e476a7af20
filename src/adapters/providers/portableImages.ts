// An image as the receiver accepts it: its bytes, its address, or words in its place. No image is dropped without a word.
import type { Capabilities } from '../../core/candidate.ts';
import type { ImagePart } from '../../core/chat.ts';
import type { Dialect } from '../../core/providers/dialects.ts';

/** What goes to the receiver. */
export type PortableImage =
  | { readonly kind: 'data'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'words'; readonly text: string };

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/is;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Addresses are quoted up to this length. */
const ADDRESS_CHARS = 200;

/** Fits `part` to a receiver. */
export function portableImage(part: ImagePart, { images }: Dialect, capabilities: Capabilities): PortableImage {
  const { source } = part;
  const inline = source.kind === 'url' ? DATA_URL.exec(source.url) : null;
  const where =
    source.kind === 'url' && !/^data:/i.test(source.url)
      ? ` at ${source.url.slice(0, ADDRESS_CHARS).toWellFormed()}`
      : '';
  if (capabilities.images === false || (images.needsYes && capabilities.images !== true)) {
    return leftOut(where, 'this model reads text only');
  }
  if (source.kind === 'url' && !inline) {
    if (where === '') return leftOut('', 'its data is not base64');
    if (images.urls === 'none') return leftOut(where, 'this provider does not fetch images');
    const isFetched = (images.urls === 'https' ? /^https:\/\/[^\s/]/i : /^https?:\/\/[^\s/]/i).test(source.url);
    if (!isFetched)
      return leftOut(where, `this provider fetches images by ${images.urls === 'https' ? 'https' : 'http'} only`);
    return { kind: 'url', url: source.url };
  }
  const [mediaType, data] =
    source.kind === 'base64' ? [source.mediaType, source.data] : [inline?.[1] ?? '', inline?.[2] ?? ''];
  return inlineImage(mediaType.trim().toLowerCase(), data.replaceAll(/\s+/g, ''), images.mediaTypes);
}

function inlineImage(told: string, data: string, accepted: readonly string[]): PortableImage {
  const mediaType = told === 'image/jpg' || told === 'image/pjpeg' ? 'image/jpeg' : told;
  if (!accepted.includes(mediaType)) {
    return leftOut(
      '',
      `this provider accepts ${accepted.join(', ')}, not ${told === '' ? 'an unnamed type' : told.slice(0, 40).toWellFormed()}`,
    );
  }
  return BASE64.test(data) ? { kind: 'data', mediaType, data } : leftOut('', 'its data is not base64');
}

function leftOut(where: string, why: string): PortableImage {
  return { kind: 'words', text: `[an image${where} was left out: ${why}]` };
}
