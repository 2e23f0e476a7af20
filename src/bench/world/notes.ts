// What the study leaves open, how it was settled here, and what cannot be matched for that reason. Shown below every report.

export const WORLD_NOTES: readonly string[] = [
  'The study’s first-token timers do not fire on calls that hang (lost or swallowed by an outage). Its rows of GW*, GW TTFT 3 s and the state oracle are reproduced only so; `gateway-best-seeing`, `gateway-ttft-3-seeing` and `oracle-seeing` have timers as a real client has them, and are the harder bars.',
  'J counts price x (prompt + output) tokens; the cost column counts an output token four times; MoA’s judge is in tokens and cost, not in J. A connection that is reset, refused or answered 429 or 5xx at once is not billed. All four follow from the printed figures.',
  'Load: the calls that already run at a candidate count, without the new one. best-one, the gateways’ three L candidates and Tail-at-Scale’s pair are in the order of true quality, which only in random environments differs from L-ge, L-gw, L-reg.',
  'Redundant-2 and Tail-at-Scale let losers run on. Tail-at-Scale hedges at the 95th percentile of a robust lognormal picture of the primary (gain .01). BestOne-online ranks by mean + sd of a Beta(1,1) in which a failure counts 0; neither is printed in the study.',
  'Random environments: the study does not say how calls fail in its outages nor how lossy "lossy" is (here half hang; loss +.25), and the perturbed candidates are other draws than its own. Only orders and rough sizes can agree there.',
  'HACO learns from its own luck: its figures differ between sets of seeds by more than the noise of the steps (standard error of J .002-.006).',
  'Capacity: the oracle’s p99 is 30 s here and 24 s in the study, also with its other figures near; how the study’s oracle saw calls that hang under load is not known. Recovery: HACO-A keeps more of its traffic on Global than printed (30 and 17 % just before the outage against 17 and 5 %).',
];
