// With #selftest in the address the page drives its own controls and writes the outcome into the title.
function selfTest() {
  const loaded = Math.round(performance.now());
  const failed = [];
  let count = 0;
  const check = (what, ok) => { ++count; if (!ok) failed.push(what); };
  const first = plots[0];
  const shape = () => first.innerHTML;
  const click = query => document.querySelector(query).click();
  const pointer = (type, share) => {
    const box = first.getBoundingClientRect();
    first.dispatchEvent(new PointerEvent(type, {clientX: box.left + share * box.width, clientY: box.top + box.height / 2, bubbles: true, pointerType: 'mouse'}));
  };
  check('a plot for every environment', plots.length > 0 || data.environments.length === 0);
  check('no script errors', errors.length === 0);
  check('axes end however little values differ', [[.3, .1 + .2], [1e16, 1e16 + 2], [-5e-324, 5e-324], [-1.7e308, 1.7e308], [Infinity, -Infinity]]
    .every(([low, high]) => { const found = ticks(...range(low, high), 4); return found.length < 20 && found.every(Number.isFinite); }));
  check('no network requests', performance.getEntriesByType('resource').length === 0);
  check('no sideways scrolling', document.documentElement.scrollWidth <= innerWidth + 1);
  if (first && document.querySelector('[data-set=band]')) {
    const start = shape(), seen = new Set([start]), said = new Set([caption.textContent]);
    for (const band of ['mean', 'iqm', 'range', 'seeds']) {
      click(`[data-set=band] button[value=${band}]`);
      seen.add(shape());
      said.add(caption.textContent);
      check('band ' + band + ' is drawn', !/NaN|undefined/.test(shape()));
    }
    const several = data.environments[0].cells.some(c => c && c.runs.length > 2);
    check('bands differ', seen.size > (several ? 4 : 1));
    const seeds = Math.max(...data.environments.flatMap(e => e.cells.map(c => c ? c.runs.length : 0)));
    check('the caption follows the mode', said.size === (seeds > 1 ? 5 : 1));
    click('[data-set=band] button[value=median]');
    check('back to the median', shape() === start);
    click('[data-set=smooth] button[value="1"]');
    check('the caption says that nothing is smoothed', /not smoothed/.test(caption.textContent));
    check('raw scores', data.environments[0].x.length < 3 || shape() !== start);
    click('[data-set=smooth] button[value="10"]');
    const item = document.querySelector('#curves .legend button');
    item.focus();
    check('a legend entry takes the focus and brings its curve out', document.activeElement === item && document.querySelector('#curves.pointing [data-s].hot'));
    item.blur();
    item.click();
    check('legend hides', shape() !== start && item.getAttribute('aria-pressed') === 'false');
    item.click();
    check('legend shows again', shape() === start && item.getAttribute('aria-pressed') === 'true');
    const other = [...document.querySelectorAll('figure:not(#curves) .legend button')].find(b => b.closest('figure').querySelector('.panels [data-s]'));
    if (other) {
      other.click();
      check('other legends hide', other.closest('figure').querySelector('.panels .gone'));
      other.click();
      check('and show again', !other.closest('figure').querySelector('.panels .gone'));
    }
    first.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
    check('arrow keys show values', tip.style.display === 'block');
    first.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
    check('escape hides them', tip.style.display === 'none');
    pointer('pointermove', .6);
    check('tip shows values', tip.style.display === 'block' && /\d/.test(tip.textContent));
    pointer('pointerleave', .6);
    check('tip hides', tip.style.display === 'none');
    pointer('pointerdown', .3); pointer('pointermove', .8); pointer('pointerup', .8);
    check('drag zooms', data.environments[0].x.length < 6 || state.zoom[panelOf(first).env] !== undefined);
    unzoom.click();
    check('zoom resets', shape() === start);
  }
  const before = dark();
  themeButton.click();
  check('theme switches', dark() !== before);
  themeButton.click();
  delete root.dataset.theme;
  stored(() => localStorage.removeItem('tarl-theme'));
  check('no script errors at the end', errors.length === 0);
  document.title = (failed.length ? 'SELFTEST FAILED: ' + failed.join('; ') : 'SELFTEST OK') + ` (${count} checks, loaded in ${loaded} ms)`;
}
if (location.hash === '#selftest') addEventListener('load', selfTest);
