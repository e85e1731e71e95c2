// Hover, zoom, legend, buttons, theme.
const tip = document.getElementById('tip');
const toUnits = (svg, e) => (e.clientX - svg.getBoundingClientRect().left) * svg.frame.width / svg.getBoundingClientRect().width;
function nearest(x, at) {
  let best = 0;
  x.forEach((v, i) => { if (Math.abs(v - at) < Math.abs(x[best] - at)) best = i; });
  return best;
}
// Highlights one curve of a figure, or resets all of them without a name.
function highlight(figure, name) {
  const parts = [...figure.querySelectorAll('[data-s]')], hot = part => part.dataset.s === name;
  figure.classList.toggle('pointing', parts.some(hot));
  for (const part of parts) part.classList.toggle('hot', hot(part));
}
function nearestLine(svg, t, y) {
  const gap = line => line.y[t] == null ? Infinity : Math.abs(svg.frame.y(line.y[t]) - y);
  const best = [...svg.lines].sort((a, b) => gap(a) - gap(b))[0];
  return best && gap(best) < 16 ? best.label : null;
}
function showValues(svg, t, clientX, clientY) {
  const f = svg.frame, env = envOf(svg), x = f.x(env.x[t]);
  svg.shown = t;
  svg.querySelector('.over').innerHTML = `<path class="cursor" d="M${x.toFixed(1)} ${f.top}V${f.bottom}"/>` +
    svg.lines.map(l => l.y[t] == null ? '' : `<g class="${esc(l.style)}"><circle class="dot" cx="${x.toFixed(1)}" cy="${f.y(l.y[t]).toFixed(1)}" r="3.5"/></g>`).join('');
  const height = l => l.y[t] == null ? -Infinity : l.y[t];
  tip.innerHTML = `<b>${esc(env.title)}, step ${short(env.x[t])}</b>` +
    [...svg.lines].sort((a, b) => height(a) < height(b) ? 1 : -1).map(l => `<div><span class="${esc(l.style.split(' ')[0])}"><i>${esc(l.label)}</i></span><span>${value(l.y[t])}` +
      (l.low && l.low[t] != null ? ` [${value(l.low[t])}, ${value(l.high[t])}]` : '') + '</span></div>').join('');
  tip.style.display = 'block';
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(clientX + 14, innerWidth - box.width - 6)) + 'px';
  tip.style.top = Math.max(4, clientY + 18 + box.height > innerHeight ? clientY - box.height - 12 : clientY + 18) + 'px';
}
function showTip(svg, e) {
  const f = svg.frame, box = svg.getBoundingClientRect();
  const t = nearest(envOf(svg).x, Math.max(f.x0, Math.min(f.x1, f.at(toUnits(svg, e)))));
  showValues(svg, t, e.clientX, e.clientY);
  highlight(svg.closest('figure'), nearestLine(svg, t, (e.clientY - box.top) * f.height / box.height));
}
function hideTip(svg) {
  tip.style.display = 'none';
  highlight(svg.closest('figure'), null);
  const over = svg.querySelector('.over');
  if (over) over.innerHTML = '';
}
// The arrow keys move along the steps of the focused panel.
function walk(svg, e) {
  const by = {ArrowLeft: -1, ArrowRight: 1}[e.key], last = envOf(svg).x.length - 1;
  if (e.key === 'Escape') hideTip(svg);
  if (!by) return;
  e.preventDefault();
  const t = Math.max(0, Math.min(last, svg.shown === undefined ? (by > 0 ? 0 : last) : svg.shown + by));
  const box = svg.getBoundingClientRect(), f = svg.frame;
  showValues(svg, t, box.left + f.x(envOf(svg).x[t]) * box.width / f.width, box.top + box.height / 3);
}
for (const svg of plots) {
  let start = null;
  svg.addEventListener('pointerdown', e => {
    if (e.pointerType === 'touch') return showTip(svg, e);
    start = toUnits(svg, e);
    try { svg.setPointerCapture(e.pointerId); } catch (_) { /* a synthetic event has no pointer */ }
    e.preventDefault();
  });
  svg.addEventListener('pointermove', e => {
    if (start === null) return showTip(svg, e);
    tip.style.display = 'none';
    const a = Math.max(svg.frame.left, Math.min(start, toUnits(svg, e))), b = Math.min(svg.frame.right, Math.max(start, toUnits(svg, e)));
    svg.querySelector('.over').innerHTML = `<rect class="zoom" x="${a}" y="${svg.frame.top}" width="${Math.max(0, b - a)}" height="${svg.frame.bottom - svg.frame.top}"/>`;
  });
  svg.addEventListener('pointerup', e => {
    if (start === null) return;
    const from = svg.frame.at(Math.max(svg.frame.left, Math.min(start, toUnits(svg, e))));
    const to = svg.frame.at(Math.min(svg.frame.right, Math.max(start, toUnits(svg, e))));
    const env = envOf(svg), inside = env.x.filter(x => x >= from && x <= to).length;
    start = null;
    if (inside >= 2) state.zoom[panelOf(svg).env] = [from, to];
    redraw();
  });
  svg.addEventListener('pointercancel', () => { start = null; hideTip(svg); });
  svg.addEventListener('pointerleave', () => { if (start === null) hideTip(svg); });
  svg.addEventListener('dblclick', () => { delete state.zoom[panelOf(svg).env]; redraw(); });
  svg.addEventListener('keydown', e => walk(svg, e));
  svg.addEventListener('blur', () => hideTip(svg));
}
// The caption says what is shown.
const caption = document.querySelector('#curves figcaption');
function tellMode() {
  const c = data.captions;
  if (caption && c) caption.textContent = c.band[state.band] + ' ' + c.smooth[state.smooth] + c.always;
}
function press(buttons, pressed) {
  buttons.forEach(b => b.setAttribute('aria-pressed', b === pressed));
}
for (const group of document.querySelectorAll('[data-set]')) {
  const buttons = [...group.querySelectorAll('button')];
  buttons.forEach(b => b.addEventListener('click', () => {
    const key = group.dataset.set;
    state[key] = key === 'smooth' ? +b.value : b.value;
    press(buttons, b);
    tellMode();
    redraw();
  }));
}
const unzoom = document.getElementById('unzoom');
if (unzoom) unzoom.addEventListener('click', () => { state.zoom = {}; redraw(); });
// A legend hides and highlights what it names; redrawn panels omit what is hidden.
for (const button of document.querySelectorAll('.legend button')) {
  const figure = button.closest('figure'), name = button.dataset.s;
  const parts = () => [...figure.querySelectorAll('.panels [data-s]')].filter(part => part.dataset.s === name);
  button.closest('.legend').classList.add('live');
  if (!parts().length) { button.disabled = true; continue; }  // nothing to toggle
  button.addEventListener('click', () => {
    const off = button.getAttribute('aria-pressed') === 'true';
    button.setAttribute('aria-pressed', String(!off));
    parts().forEach(part => part.classList.toggle('gone', off));
    off ? state.hidden.add(hiding(figure, name)) : state.hidden.delete(hiding(figure, name));
    if (figure.querySelector('svg[data-plot]')) redraw();
  });
  for (const type of ['pointerenter', 'focus']) button.addEventListener(type, () => highlight(figure, name));
  for (const type of ['pointerleave', 'blur']) button.addEventListener(type, () => highlight(figure, null));
}
const root = document.documentElement, themeButton = document.getElementById('theme');
const stored = (get) => { try { return get(); } catch (_) { return null; } };
const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const told = stored(() => localStorage.getItem('tarl-theme'));
if (told === 'dark' || told === 'light') root.dataset.theme = told;
themeButton.addEventListener('click', () => {
  root.dataset.theme = dark() ? 'light' : 'dark';
  stored(() => localStorage.setItem('tarl-theme', root.dataset.theme));
});
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true; }));
let later = 0;
addEventListener('resize', () => { clearTimeout(later); later = setTimeout(redraw, 120); });
redraw();
