/** Tables made when they are asked for, of the data beside them; and what an address leads to is opened. */
export const UNFOLDING = `
  const shownNumber = (value) => (value === null ? '' : String(value));
  const unfoldNumbers = (details) => {
    const script = details.querySelector('script');
    if (script === null || !details.open) return;
    const { title, texts, columns, rows } = dataOf(script);
    const body = rows.map((row) => make('tr', {}, ...row.map((value) => make('td', {}, shownNumber(value)))));
    const heads = columns.map((column) => make('th', { scope: 'col' }, column));
    script.replaceWith(tableOf('plain small n' + texts, make('caption', { class: 'unseen' }, 'Numbers: ' + title), heads, body));
  };
  for (const details of all('details.numbers')) details.addEventListener('toggle', () => unfoldNumbers(details));

  const view = document.querySelector('.metric-view');
  const layouts = JSON.parse(view.dataset.columns);
  const metricCell = (value, [key, , labelFree], decimals, unit) => {
    const classes = labelFree ? null : 'apart';
    if (value === null) return make('td', { class: classes, 'data-method': key, 'data-v': '' }, 'n/a');
    const [middle, error, low, high] = value;
    const title = low === undefined ? null : '95 % interval ' + low.toFixed(2) + ' to ' + high.toFixed(2) + ' ' + unit;
    const spread = error === null ? null : make('small', {}, ' ± ' + error.toFixed(decimals));
    return make('td', { class: classes, title, 'data-method': key, 'data-v': String(middle) }, middle.toFixed(decimals), spread);
  };
  const metricTable = ({ dataset, targets, columns }, rows, { name, unit, decimals }) => {
    const caption = make('caption', {}, dataset + ': ' + name + (unit === '' ? '' : ' in ' + unit) + ', mean ± SE over splits');
    const heads = [
      make('th', { scope: 'col', 'data-sort': 'text' }, 'Target'),
      ...columns.map(([key, label, labelFree]) =>
        make('th', { scope: 'col', class: labelFree ? 'num' : 'num apart', 'data-sort': 'number', 'data-method': key }, label),
      ),
    ];
    const body = rows.map((row, n) =>
      make('tr', { 'data-target': targets[n] },
        make('th', { scope: 'row' }, targets[n]),
        ...row.map((value, i) => metricCell(value, columns[i], decimals, unit)),
      ),
    );
    const box = tableOf('sortable', caption, heads, body);
    makeSortable(box);
    box.dataset.dataset = dataset;
    return box;
  };
  const metrics = new Map(all('script', view).map((script) => [dataOf(script).field, script]));
  const showMetric = () => {
    const script = metrics.get(view.querySelector('select').value);
    if (script === undefined) return;
    const metric = dataOf(script);
    const tables = metric.tables.map((rows, n) => metricTable(layouts[n], rows, metric));
    view.querySelector('.metric-tables').replaceChildren(make('p', { class: 'note' }, metric.note), ...tables);
    apply();
  };
  view.querySelector('.metric-choice').hidden = false;
  view.querySelector('select').addEventListener('change', showMetric);
  const metricPart = view.closest('details');
  metricPart.addEventListener('toggle', () => {
    if (metricPart.open && view.querySelector('table') === null) showMetric();
  });

  const openPlace = () => {
    const id = decodeURIComponent(location.hash.slice(1).split('?')[0]);
    const place = id === '' ? null : document.getElementById(id);
    for (let at = place; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    if (place !== null) place.scrollIntoView();
  };
  addEventListener('hashchange', openPlace);
  // A browser may bring back what was chosen before a reload.
  apply();
  openPlace();
`;
