/** 75 -> `1m15s`; never negative. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(s % 60).padStart(2, '0')}s`;
  return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, '0')}m`;
}

/** Hours as a reader would say them: seconds, minutes, hours, from three days on days. */
export function hoursText(hours: number): string {
  if (hours < 1 / 60) return `${Math.ceil(hours * 3600)} s`;
  if (hours < 1) return `${Math.round(hours * 60)} min`;
  return hours < 72 ? `${hours.toFixed(1)} h` : `${Math.round(hours / 24)} days`;
}
