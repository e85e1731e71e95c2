// Drawing: the geometry and the classes of the static figures.
const LEFT = 52, TOP = 26;
// As Extent and ticks() of the static figures: differences that are rounding alone count as none.
const LARGEST = 1e300, SMALLEST = 1e-300, FINEST = 1e-9, MOST_TICKS = 50;
const magnitude = (low, high) => Math.max(Math.abs(low), Math.abs(high));
const bounded = v => Math.max(-LARGEST, Math.min(LARGEST, v));
const visible = (low, high) => high - low > SMALLEST && high - low > FINEST * magnitude(low, high);
function range(low, high) {
  if (!(low <= high)) return [0, 1];
  if (visible(low, high)) return [low, high];
  const room = Math.max(.5, 10 * FINEST * magnitude(low, high));
  return [low - room, high + room];
}
function ticks(low, high, count) {
  if (isNaN(low) || isNaN(high)) return [];
  low = bounded(low); high = bounded(high);
  if (!visible(low, high)) return [low];
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find(f => f * power >= rough * .999) || 10);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9), out = [];
  for (let k = 0; k < MOST_TICKS && first + k <= last; ++k) out.push((first + k) * step);
  return out;
}
function short(v) {
  const size = Math.abs(v);
  const [unit, name] = size >= 1e9 ? [1e9, 'G'] : size >= 1e6 ? [1e6, 'M'] : size >= 1e3 ? [1e3, 'k'] : [1, ''];
  return String(+(v / unit).toPrecision(4)).replace('-', '−') + name;
}
function value(v) {
  if (v == null || !isFinite(v)) return '–';
  const size = Math.abs(v);
  return (size >= 1000 ? v.toFixed(0) : size >= 100 ? v.toFixed(1) : v.toPrecision(3)).replace('-', '−');
}
function frame(svg, env, lines, zoom) {
  // Drawn at the size it is shown, so that text stays readable at any width.
  const width = Math.round(Math.max(280, Math.min(1000, svg.clientWidth || 360)));
  const height = Math.round(Math.max(215, Math.min(360, .6 * width)));
  const right = width - 12, bottom = height - 36;
  const x0 = zoom ? zoom[0] : Math.min(0, env.x[0]), x1 = zoom ? zoom[1] : env.x[env.x.length - 1];
  let y0 = Infinity, y1 = -Infinity;
  for (const line of lines) {
    for (const values of [line.y, line.low, line.high, ...(line.runs || [])]) {
      if (!values) continue;
      values.forEach((v, t) => {
        if (!Number.isFinite(v) || env.x[t] < x0 || env.x[t] > x1) return;
        y0 = Math.min(y0, bounded(v)); y1 = Math.max(y1, bounded(v));
      });
    }
  }
  [y0, y1] = range(y0, y1);
  const pad = .05 * (y1 - y0);
  y0 = y0 >= 0 && y0 < .35 * y1 ? 0 : y0 - pad;
  y1 += pad;
  const span = x1 > x0 ? x1 - x0 : 1;
  return {width, height, right, bottom, x0, x1: x0 + span, x: v => LEFT + (right - LEFT) * (v - x0) / span,
          y: v => bottom - (bottom - TOP) * (v - y0) / (y1 - y0), y0, y1,
          at: px => x0 + (px - LEFT) / (right - LEFT) * span};
}
const pixel = v => Math.max(-99999, Math.min(99999, v)).toFixed(1);
const pt = (f, x, y) => pixel(f.x(x)) + ' ' + pixel(f.y(y));
const path = (f, x, y) => y.map((v, t) => !Number.isFinite(v) ? '' : (t && Number.isFinite(y[t - 1]) ? 'L' : 'M') + pt(f, x[t], v)).join('');
function band(f, line) {
  if (!line.low || !line.low.every(Number.isFinite) || !line.high.every(Number.isFinite)) return '';
  const up = line.high.map((v, t) => pt(f, line.x[t], v));
  const down = line.low.map((v, t) => pt(f, line.x[t], v)).reverse();
  return '<path class="band" d="M' + up.concat(down).join('L') + 'Z"/>';
}
const text = (cls, x, y, s, more) => `<text class="${cls}" x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more || ''}>${esc(s)}</text>`;
function axes(f, title, quantity) {
  const ys = ticks(f.y0, f.y1, Math.round(f.height / 55)), step = ys.length > 1 ? ys[1] - ys[0] : 1;
  let digits = 0;
  while (digits < 6 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) ++digits;
  const middle = (TOP + f.bottom) / 2;
  return text('t', LEFT, 15, title) +
    ys.map(v => `<path class="grid" d="M${LEFT} ${f.y(v).toFixed(1)}H${f.right}"/>` +
      text('k end', LEFT - 5, f.y(v) + 3.5, Math.abs(v) >= 1000 ? short(v) : v.toFixed(digits).replace('-', '−'))).join('') +
    ticks(f.x0, f.x1, Math.max(3, Math.round(f.width / 75))).map(v => `<path class="axis" d="M${f.x(v).toFixed(1)} ${f.bottom}v3"/>` +
      text('k mid', f.x(v), f.bottom + 14, short(v))).join('') +
    `<path class="axis" d="M${LEFT} ${f.bottom}H${f.right}"/>` +
    text('a mid', (LEFT + f.right) / 2, f.bottom + 28, 'environment steps') +
    text('a mid', 11, middle, quantity ?? 'return', ` transform="rotate(-90 11 ${middle})"`);
}
function draw(svg) {
  const env = data.environments[svg.dataset.at], lines = series(env);
  const f = svg.frame = frame(svg, env, lines, state.zoom[svg.dataset.at]);
  const id = 'clip' + svg.dataset.at;
  svg.lines = lines;
  svg.setAttribute('viewBox', `0 0 ${f.width} ${f.height}`);
  svg.innerHTML = `<clipPath id="${id}"><rect x="${LEFT}" y="${TOP - 4}" width="${f.right - LEFT}" height="${f.bottom - TOP + 8}"/></clipPath>` +
    axes(f, env.title, env.quantity) + `<g clip-path="url(#${id})">` + lines.map(line => `<g class="${esc(line.style)}">` + band(f, line) +
      (line.runs || []).map(run => `<path class="line thin" d="${path(f, line.x, run)}"/>`).join('') +
      `<path class="line${line.thin ? ' thin' : ''}" d="${path(f, line.x, line.y)}"/></g>`).join('') + '</g><g class="over"></g>';
}
const plots = [...document.querySelectorAll('svg[data-plot=curve]')];
const redraw = () => plots.forEach(draw);
// `tarl serve` has put newer data into the page.
addEventListener('tarl-data', () => { data = readData(); redraw(); });
