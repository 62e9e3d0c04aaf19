/** A button in every head; a second press turns the order round; cells without a value stay last. */
export const SORTING = `
  const valueOf = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent;
    const text = cell.dataset.v;
    return text === undefined || text === '' ? NaN : Number(text);
  };
  const sortBy = (head) => {
    const table = head.closest('table');
    const body = table.tBodies[0];
    const numeric = head.dataset.sort === 'number';
    const down = head.getAttribute('aria-sort') === 'ascending';
    const sign = down ? -1 : 1;
    const keyed = [...body.rows].map((row) => ({ row, key: valueOf(row, head.cellIndex, numeric) }));
    keyed.sort((a, b) => {
      if (numeric) {
        if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key);
        return sign * (a.key - b.key);
      }
      return sign * a.key.localeCompare(b.key, 'en', { numeric: true });
    });
    for (const { row } of keyed) body.append(row);
    for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  };
  const makeSortable = (table) => {
    for (const head of all('th[data-sort]', table)) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      button.addEventListener('click', () => sortBy(head));
      head.append(button);
    }
  };
  all('table.sortable').forEach(makeSortable);
`;
