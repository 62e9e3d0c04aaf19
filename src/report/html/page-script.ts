/** The page's only script. It reads and moves what the page already shows; it makes no markup out of text. */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Sorting: a button in every head; a second press turns the order round; cells without a value stay last.
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
  for (const head of all('table.sortable th[data-sort]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(head));
    head.append(button);
  }

  // Filters: what has a data set, target or method that was not chosen is hidden.
  const form = document.querySelector('form.filters');
  const chosen = (name) => {
    const option = form.elements[name].selectedOptions[0];
    return option.value === '' ? null : option.dataset.name;
  };
  const apply = () => {
    const dataset = chosen('dataset');
    const target = chosen('target');
    const hidden = new Set(all('input[name=method]', form).filter((box) => !box.checked).map((box) => box.value));
    for (const element of all('[data-dataset],[data-target],[data-method]')) {
      const { dataset: d, target: t, method: m } = element.dataset;
      const off =
        (dataset !== null && d !== undefined && d !== dataset) ||
        (target !== null && t !== undefined && t !== target) ||
        (m !== undefined && hidden.has(m));
      element.classList.toggle('off', off);
    }
    const parts = [dataset, target, hidden.size > 0 ? hidden.size + ' method(s) hidden' : null];
    form.querySelector('.shown').textContent = parts.some((part) => part !== null)
      ? 'Showing: ' + parts.filter((part) => part !== null).join(', ')
      : '';
  };
  if (form) {
    form.hidden = false;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', apply);
    form.addEventListener('reset', () => setTimeout(apply));
    // A browser may bring back what was chosen before a reload.
    apply();
    const methods = form.querySelector('.methods');
    document.addEventListener('click', (event) => {
      if (!methods.contains(event.target)) methods.open = false;
    });
    form.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !methods.open) return;
      methods.open = false;
      methods.querySelector('summary').focus();
    });
  }

  // Copying.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      return done;
    }
  };
  const offer = (after, label, textOf) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copier';
    button.textContent = 'copy';
    button.setAttribute('aria-label', label);
    button.addEventListener('click', async () => {
      button.textContent = (await copy(textOf())) ? 'copied' : 'failed';
      setTimeout(() => (button.textContent = 'copy'), 1500);
    });
    after.after(button);
  };
  for (const code of all('code.copy')) {
    const name = code.closest('tr')?.cells[0].textContent;
    offer(code, name === undefined ? 'Copy the command' : 'Copy the temperature of ' + name, () => code.dataset.copy);
  }
  for (const pre of all('[data-copy-block] pre')) offer(pre, 'Copy as JSON', () => pre.textContent);
})();
`;
