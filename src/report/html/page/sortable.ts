/** What a cell of a sortable table is sorted by: eight digits sort as all of them do, and are not printed. */
export function sortable(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(8)));
}
