/**
 * Questions in windows of a few dozen rows: chosen, searched, sorted and opened as the address of the page says, which
 * follows every change.
 */
export const BROWSING = `
  const browse = document.querySelector('form.browse');
  const ROWS = 40;
  const startBrowsing = () => {
    const { sets, picks, views } = dataOf(document.getElementById('example-data'));
    const part = browse.closest('details');
    const box = part.querySelector('.browsed');
    const names = (list) => [...new Set(list)];
    const isPick = (view) => picks.some(({ kind }) => kind === view);
    const state = { set: '', model: '', show: 'all', q: '', sort: '', page: 0, open: '' };
    const read = () => {
      const [place, query = ''] = location.hash.slice(1).split('?');
      if (place !== part.id) return false;
      const given = new URLSearchParams(query);
      for (const key of Object.keys(state)) state[key] = key === 'page' ? Math.max(0, parseInt(given.get(key), 10) || 0) : (given.get(key) ?? (key === 'show' ? 'all' : ''));
      return true;
    };
    const write = () => {
      const given = new URLSearchParams(Object.entries(state).filter(([key, value]) => value !== '' && value !== 0 && !(key === 'show' && value === 'all')));
      history.replaceState(null, '', '#' + part.id + (given.size > 0 ? '?' + given : ''));
    };
    const fill = (select, values, value) => {
      select.replaceChildren(...values.map((each) => make('option', { value: each }, each)));
      select.value = values.includes(value) ? value : (values[0] ?? '');
      return select.value;
    };
    const settle = () => {
      const datasets = names([...sets, ...picks].map(({ dataset }) => dataset));
      state.set = fill(browse.elements.set, datasets, state.set);
      const own = [...sets.filter((set) => set.dataset === state.set).flatMap(({ targets }) => targets), ...picks.filter((pick) => pick.dataset === state.set)];
      state.model = fill(browse.elements.model, names(own.map(({ target }) => target)), state.model);
      if (sets.length === 0 && !isPick(state.show)) state.show = picks[0].kind;
      browse.elements.show.value = state.show;
      browse.elements.q.value = state.q;
    };
    const softmax = (gaps, tau) => {
      const masses = gaps.map((gap) => (tau === null ? 1 : Math.exp(-gap / 1000 / tau)));
      const all = masses.reduce((sum, mass) => sum + mass, 0);
      return masses.map((mass) => mass / all);
    };
    const rowOf = (fields, [id, texts, options, label], heads, probabilities) => {
      const answer = probabilities[0].indexOf(Math.max(...probabilities[0]));
      const name = (k) => (k === null ? null : (options?.[k] ?? 'option ' + (k + 1)));
      return { id, fields, texts, options, label, heads, probabilities, answer, said: name(answer), right: name(label),
        claimed: probabilities[0][answer], calibrated: (probabilities[1] ?? probabilities[0])[answer],
        state: label === null ? 'no label' : label === answer ? 'right' : 'wrong', why: '' };
    };
    const pickRows = () => picks
      .filter(({ dataset, target, kind }) => dataset === state.set && target === state.model && kind === state.show)
      .map(({ fields, id, texts, options, label, heads, probabilities, why }) => ({ ...rowOf(fields, [id, texts, options, label], heads, probabilities), why }));
    const setRows = () => {
      const set = sets.find(({ dataset }) => dataset === state.set);
      const model = set?.targets.find(({ target }) => target === state.model);
      if (model === undefined) return [];
      const heads = ['as it is', ...(model.label === null ? [] : [model.label + ', τ ' + (model.tau === null ? '∞' : Number(model.tau.toPrecision(3)))])];
      return set.rows.flatMap((row, n) => {
        const gaps = model.scores[n];
        if (gaps === null) return [];
        return [rowOf(set.fields, row, heads, [softmax(gaps, 1), ...(model.label === null ? [] : [softmax(gaps, model.tau)])])];
      });
    };
    let known = { key: '', rows: [] };
    const rowsNow = () => {
      const key = JSON.stringify([state.set, state.model, isPick(state.show) ? state.show : '']);
      if (known.key !== key) known = { key, rows: isPick(state.show) ? pickRows() : setRows() };
      const words = state.q.toLowerCase().split(/\\s+/).filter((word) => word !== '');
      const wanted = { wrong: 'wrong', right: 'right', unlabelled: 'no label' }[state.show];
      const rows = known.rows.filter((row) => {
        if (wanted !== undefined && row.state !== wanted) return false;
        if (words.length === 0) return true;
        const text = [row.id, ...row.texts, ...(row.options ?? [])].join(' ').toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const [field, down] = state.sort.startsWith('-') ? [state.sort.slice(1), -1] : [state.sort, 1];
      const valueIn = { question: (row) => row.texts[0] ?? row.id, said: (row) => row.said, right: (row) => row.right ?? '', claimed: (row) => row.claimed, calibrated: (row) => row.calibrated, state: (row) => row.state }[field];
      if (valueIn === undefined) return rows;
      return rows.toSorted((a, b) => {
        const [one, other] = [valueIn(a), valueIn(b)];
        return down * (typeof one === 'number' ? one - other : one.localeCompare(other, 'en', { numeric: true }));
      });
    };
    const percent = (share) => (100 * share).toFixed(1);
    const details = (row) => {
      const fields = row.texts.map((text, i) => make('p', { class: 'field' }, make('span', { class: 'name' }, row.fields[i]), ' ', make('bdi', {}, text)));
      const heads = [make('th', { scope: 'col' }, 'Option'), ...row.heads.map((head) => make('th', { scope: 'col' }, head))];
      const body = row.probabilities[0].map((_, k) => {
        const tags = [k === row.label ? 'right answer' : null, k === row.answer ? 'given' : null].filter((tag) => tag !== null);
        const head = make('th', { scope: 'row' }, make('bdi', {}, row.options?.[k] ?? 'option ' + (k + 1)), ...tags.flatMap((tag) => [' ', make('span', { class: 'tag' }, tag)]));
        return make('tr', { class: k === row.label ? 'label' : null }, head, ...row.probabilities.map((each) => make('td', { class: 'p' + Math.round(10 * each[k]) }, percent(each[k]))));
      });
      const table = tableOf('plain small dist', make('caption', { class: 'unseen' }, 'Probability of each option in per cent'), heads, body);
      return make('div', { class: 'opened' }, ...fields, row.why === '' ? null : make('p', { class: 'note' }, row.why), table, make('p', { class: 'note' }, 'id ', make('code', {}, row.id)));
    };
    const line = (row) => {
      const open = state.open === row.id;
      const button = make('button', { type: 'button', class: 'question', 'aria-expanded': String(open), 'data-id': row.id }, make('bdi', {}, row.texts.join(' · ') || row.id));
      button.addEventListener('click', () => {
        state.open = open ? '' : row.id;
        show();
        all('button.question', box).find((each) => each.dataset.id === row.id)?.focus();
      });
      const cells = make('tr', {}, make('th', { scope: 'row' }, button), make('td', { class: 'word' }, make('bdi', {}, row.said)), make('td', { class: 'word' }, make('bdi', {}, row.right ?? '')),
        make('td', {}, percent(row.claimed)), make('td', {}, percent(row.calibrated)), make('td', { class: 'word state ' + row.state.replace(' ', '-') }, row.state));
      return open ? [cells, make('tr', { class: 'details' }, make('td', { colspan: '6' }, details(row)))] : [cells];
    };
    const headOf = ([field, name, numeric]) => {
      const button = make('button', { type: 'button' }, name);
      button.addEventListener('click', () => {
        const first = numeric ? '-' + field : field;
        const second = numeric ? field : '-' + field;
        state.sort = state.sort === first ? second : first;
        state.page = 0;
        show();
        all('thead button', box).find((each) => each.textContent === name)?.focus();
      });
      const sorted = state.sort === field ? 'ascending' : state.sort === '-' + field ? 'descending' : null;
      return make('th', { scope: 'col', class: numeric ? 'num' : 'word', 'data-sort': '', 'aria-sort': sorted }, button);
    };
    const HEADS = [['question', 'Question', false], ['said', 'Answer', false], ['right', 'Right answer', false], ['claimed', 'Claimed %', true], ['calibrated', 'Calibrated %', true], ['state', 'Is', false]];
    const turn = (name, page, possible) => {
      const button = make('button', { type: 'button', class: 'turn', disabled: possible ? null : '' }, name);
      button.addEventListener('click', () => {
        state.page = page;
        state.open = '';
        show();
      });
      return button;
    };
    const show = () => {
      settle();
      const rows = rowsNow();
      const last = Math.max(0, Math.ceil(rows.length / ROWS) - 1);
      const at = rows.findIndex(({ id }) => id === state.open);
      state.page = Math.min(last, state.page);
      if (at !== -1) state.page = Math.floor(at / ROWS);
      const from = state.page * ROWS;
      const seen = rows.slice(from, from + ROWS);
      const caption = make('caption', {}, rows.length === 0 ? 'No question is like that' : 'Questions ' + (from + 1) + ' to ' + (from + seen.length) + ' of ' + rows.length);
      const table = tableOf('sortable answers', caption, HEADS.map(headOf), seen.flatMap(line));
      const turns = make('p', { class: 'turns' }, turn('Back', state.page - 1, state.page > 0), turn('On', state.page + 1, state.page < last));
      box.replaceChildren(table, turns);
      part.querySelector('.about').textContent = views.find(([name]) => name === state.show)?.[1] ?? '';
      if (part.open) write();
    };
    browse.hidden = false;
    browse.addEventListener('submit', (event) => event.preventDefault());
    browse.addEventListener('input', ({ target }) => {
      state[target.name] = target.value;
      state.page = 0;
      state.open = '';
      show();
    });
    const follow = () => {
      if (read()) show();
    };
    addEventListener('hashchange', follow);
    part.addEventListener('toggle', () => {
      if (!part.open || box.firstChild !== null) return;
      read();
      show();
    });
    form.addEventListener('input', () => {
      for (const [name, key] of [['dataset', 'set'], ['target', 'model']]) state[key] = chosen(name) ?? state[key];
      if (box.firstChild !== null) show();
    });
    if (read()) show();
  };
  if (browse !== null) startBrowsing();
`;
