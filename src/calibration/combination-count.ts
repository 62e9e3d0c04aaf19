/** C(n, k), how many S Eq. (selector) chooses from, in floating point: exact up to 2^53, infinite beyond float64; 0 when k > n. */
export function combinationCount(n: number, k: number): number {
  if (k > n) return 0;
  let count = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) count = (count * (n - Math.min(k, n - k) + i)) / i;
  return Math.round(count);
}
