// Where data is processed, as a tag that a residency rule can name. Read from the cloud's own region names; what cannot be
// told for sure has no tag, and a rule lets nothing pass that has none.

/** Region name patterns of AWS, Azure and Google, and the tag they stand for. The first that matches decides. */
const TAGS: readonly (readonly [RegExp, string])[] = [
  // "global" and cross-region profiles may run anywhere.
  [/^(?:global|default|auto|any)$/, ''],
  [/^(?:us-gov-|usgov)/, 'us-gov'],
  [/^cn-|^china/, 'cn'],
  [/^(?:us$|us-|northamerica-south|(?:east|west|central|northcentral|southcentral|westcentral)us\d?$)/, 'us'],
  [/^(?:ca-|northamerica-northeast|canada)/, 'ca'],
  [/^(?:uk|europe-west2$|eu-west-2$)/, 'uk'],
  [/^(?:ch|switzerland|europe-west6$|eu-central-2$)/, 'ch'],
  [/^norway/, 'no'],
  [
    /^(?:eu$|eu-|europe-|(?:north|west)europe$|france|germany|sweden|italy|poland|spain|austria|belgium|denmark|finland)/,
    'eu',
  ],
  [/^(?:ap-northeast-[13]$|asia-northeast[12]$|japan)/, 'jp'],
  [/^(?:ap-south-|asia-south[12]$|(?:central|south|west)india$|jioindia)/, 'in'],
  [/^(?:ap-southeast-[24]$|australia)/, 'au'],
];

/** The residency tag of a region's name, or null where it does not say for sure. Lower and upper case are one. */
export function residencyOf(region: string): string | null {
  const name = region.trim().toLowerCase();
  const tag = TAGS.find(([pattern]) => pattern.test(name))?.[1];
  return tag === undefined || tag === '' ? null : tag;
}
