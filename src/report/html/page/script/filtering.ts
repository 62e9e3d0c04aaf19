/** What has a data set, target or method that was not chosen is hidden. */
export const FILTERING = `
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
  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  const methods = form.querySelector('.methods');
  document.addEventListener('click', (event) => {
    if (!methods.contains(event.target)) methods.open = false;
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !methods.open) return;
    methods.open = false;
    methods.querySelector('summary').focus();
  });
`;
