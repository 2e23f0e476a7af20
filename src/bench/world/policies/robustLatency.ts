// A lognormal picture of a candidate's times that one slow call does not spoil: exponentially weighted mean and variance of the
// logarithm, residuals clipped (scheduler study 6.2, latency).

/** Constants by their meaning; `priorMean` and `mean` are of ln seconds. */
const GAIN = 0.01;
const MEAN_CLIP = 2;
const VARIANCE_CLIP = 2.5;
const VARIANCE_RANGE = [0.04, 1] as const;
const PRIOR_VARIANCE = 0.36;

export class RobustLatency {
  mean: number;
  private variance = PRIOR_VARIANCE;
  private count = 0;

  /** `medianS`: what is believed before anything is seen. */
  constructor(medianS: number) {
    this.mean = Math.log(medianS);
  }

  learn(seconds: number): void {
    this.count++;
    const gain = Math.max(1 / this.count, GAIN);
    const sd = Math.sqrt(this.variance);
    const residual = Math.log(seconds) - this.mean;
    const clipped = clip(residual, VARIANCE_CLIP * sd);
    this.mean += gain * clip(residual, MEAN_CLIP * sd);
    const [least, most] = VARIANCE_RANGE;
    this.variance = Math.min(most, Math.max(least, this.variance + gain * (clipped * clipped - this.variance)));
  }

  /** The time that a share of the calls stays below; `z` is the normal quantile of that share. */
  quantileS(z: number): number {
    return Math.exp(this.mean + z * Math.sqrt(this.variance));
  }
}

function clip(value: number, most: number): number {
  return Math.min(most, Math.max(-most, value));
}
