/** Share of the resamples inside an interval. */
export const INTERVAL_LEVEL = 0.95;

export interface Interval {
  readonly low: number;
  readonly high: number;
}
