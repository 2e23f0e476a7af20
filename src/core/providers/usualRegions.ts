// The regions of the clouds that most people use, for pick lists. Not a list of what exists: any other name may be typed.
// Sources: AWS, Azure and Google's own lists of regions that serve models. Data only.
import type { ProviderKind } from '../candidate.ts';

/** Region names by kind, near each other by continent. Kinds that are not here have one address for the whole world. */
const usualRegions: Readonly<Partial<Record<ProviderKind, readonly string[]>>> = {
  bedrock: [
    ...['us-east-1', 'us-east-2', 'us-west-2', 'ca-central-1', 'sa-east-1'],
    ...['eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-north-1'],
    ...['ap-northeast-1', 'ap-southeast-1', 'ap-southeast-2', 'ap-south-1', 'us-gov-west-1'],
  ],
  azure: [
    ...['eastus', 'eastus2', 'westus', 'westus3', 'northcentralus', 'southcentralus', 'canadaeast', 'brazilsouth'],
    ...['swedencentral', 'francecentral', 'germanywestcentral', 'norwayeast', 'switzerlandnorth', 'uksouth'],
    ...['japaneast', 'koreacentral', 'southindia', 'australiaeast'],
  ],
  vertex: [
    ...['global', 'us', 'eu', 'us-central1', 'us-east1', 'us-east4', 'us-east5', 'us-west1'],
    ...['northamerica-northeast1', 'southamerica-east1'],
    ...['europe-west1', 'europe-west2', 'europe-west3', 'europe-west4', 'europe-west9', 'europe-north1'],
    ...['asia-northeast1', 'asia-southeast1', 'asia-south1', 'australia-southeast1'],
  ],
};

/** The usual regions of a kind; empty: it has none to choose from. */
export function regionsOf(kind: ProviderKind): readonly string[] {
  return usualRegions[kind] ?? [];
}
