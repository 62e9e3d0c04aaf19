/** Elements made of data: `make` sets texts as text, `tableOf` makes a table that scrolls inside its box. */
export const TABLES = `
  const make = (name, attributes, ...content) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
    element.append(...content.filter((each) => each !== null).map((each) => (typeof each === 'number' ? String(each) : each)));
    return element;
  };
  const dataOf = (script) => JSON.parse(script.textContent);
  const tableOf = (kind, caption, heads, rows) => {
    const table = make('table', { class: 'grid ' + kind }, caption, make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows));
    return make('div', { class: 'scroll', role: 'group', tabindex: '0', 'aria-label': caption.textContent }, table);
  };
`;
