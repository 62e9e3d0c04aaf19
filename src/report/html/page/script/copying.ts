/** Buttons that put a temperature, a command or a block of JSON on the clipboard. */
export const COPYING = `
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
`;
