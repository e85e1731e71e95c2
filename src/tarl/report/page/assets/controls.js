// Hover, zoom, legend, buttons, theme.
const tip = document.getElementById('tip');
const toUnits = (svg, e) => (e.clientX - svg.getBoundingClientRect().left) * svg.frame.width / svg.getBoundingClientRect().width;
function nearest(x, at) {
  let best = 0;
  x.forEach((v, i) => { if (Math.abs(v - at) < Math.abs(x[best] - at)) best = i; });
  return best;
}
function showTip(svg, e) {
  const f = svg.frame, env = data.environments[svg.dataset.at];
  const t = nearest(env.x, Math.max(f.x0, Math.min(f.x1, f.at(toUnits(svg, e))))), x = f.x(env.x[t]);
  svg.querySelector('.over').innerHTML = `<path class="cursor" d="M${x.toFixed(1)} ${TOP}V${f.bottom}"/>` +
    svg.lines.map(l => l.y[t] == null ? '' : `<g class="${esc(l.style)}"><circle class="dot" cx="${x.toFixed(1)}" cy="${f.y(l.y[t]).toFixed(1)}" r="3.5"/></g>`).join('');
  tip.innerHTML = `<b>${esc(env.title)}, step ${short(env.x[t])}</b>` +
    [...svg.lines].sort((a, b) => b.y[t] - a.y[t]).map(l => `<div><span class="${esc(l.style.split(' ')[0])}"><i>${esc(l.label)}</i></span><span>${value(l.y[t])}` +
      (l.low && l.low[t] != null ? ` [${value(l.low[t])}, ${value(l.high[t])}]` : '') + '</span></div>').join('');
  tip.style.display = 'block';
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - box.width - 6)) + 'px';
  tip.style.top = Math.max(4, e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 12 : e.clientY + 18) + 'px';
}
function hideTip(svg) {
  tip.style.display = 'none';
  const over = svg.querySelector('.over');
  if (over) over.innerHTML = '';
}
for (const svg of plots) {
  let start = null;
  svg.addEventListener('pointerdown', e => {
    if (e.pointerType === 'touch') return showTip(svg, e);
    start = toUnits(svg, e);
    try { svg.setPointerCapture(e.pointerId); } catch (_) { /* a made-up event has no pointer */ }
    e.preventDefault();
  });
  svg.addEventListener('pointermove', e => {
    if (start === null) return showTip(svg, e);
    tip.style.display = 'none';
    const a = Math.max(LEFT, Math.min(start, toUnits(svg, e))), b = Math.min(svg.frame.right, Math.max(start, toUnits(svg, e)));
    svg.querySelector('.over').innerHTML = `<rect class="zoom" x="${a}" y="${TOP}" width="${Math.max(0, b - a)}" height="${svg.frame.bottom - TOP}"/>`;
  });
  svg.addEventListener('pointerup', e => {
    if (start === null) return;
    const from = svg.frame.at(Math.max(LEFT, Math.min(start, toUnits(svg, e))));
    const to = svg.frame.at(Math.min(svg.frame.right, Math.max(start, toUnits(svg, e))));
    const env = data.environments[svg.dataset.at], inside = env.x.filter(x => x >= from && x <= to).length;
    start = null;
    if (inside >= 2) state.zoom[svg.dataset.at] = [from, to];
    draw(svg);
  });
  svg.addEventListener('pointercancel', () => { start = null; hideTip(svg); });
  svg.addEventListener('pointerleave', () => { if (start === null) hideTip(svg); });
  svg.addEventListener('dblclick', () => { delete state.zoom[svg.dataset.at]; draw(svg); });
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
    redraw();
  }));
}
const unzoom = document.getElementById('unzoom');
if (unzoom) unzoom.addEventListener('click', () => { state.zoom = {}; redraw(); });
const legend = document.querySelector('#curves .legend');
if (legend) {
  legend.classList.add('live');
  [...legend.children].forEach((item, k) => {
    const at = data.shown[k];
    item.tabIndex = 0;
    item.setAttribute('role', 'switch');
    item.setAttribute('aria-checked', 'true');
    const toggle = () => {
      state.hidden.has(at) ? state.hidden.delete(at) : state.hidden.add(at);
      item.classList.toggle('off', state.hidden.has(at));
      item.setAttribute('aria-checked', String(!state.hidden.has(at)));
      redraw();
    };
    item.addEventListener('click', toggle);
    item.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); toggle(); } });
  });
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
