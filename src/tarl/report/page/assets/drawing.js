// Drawing: the geometry and the classes of the static figures.
const TITLE = {size: 13, line: 16, font: '600 13px '}, TEXT = {size: 11, line: 13, font: '11px '};
const pen = document.createElement('canvas').getContext('2d');
function widthOf(s, type) {
  pen.font = type.font + getComputedStyle(document.body).fontFamily;
  return pen.measureText(s).width;
}
// As wrapped() of the static figures: broken after joining signs if possible.
function wrap(s, type, width) {
  const lines = [''];
  for (const piece of s.match(/[^ \-\/_+,)]*[ \-\/_+,)]?/g)) {
    for (const part of widthOf(piece, type) > width ? piece : [piece]) {
      const last = lines[lines.length - 1];
      if (last && widthOf((last + part).trimEnd(), type) > width) lines.push(part);
      else lines[lines.length - 1] = last + part;
    }
  }
  return lines.map(line => line.trimEnd());
}
// As Extent and ticks() of the static figures: differences due to rounding count as none.
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
function frame(svg, panel, lines, zoom) {
  const env = data.environments[panel.env];
  // Drawn at the size shown, so that text stays readable at any width.
  const width = Math.round(Math.max(280, Math.min(1000, svg.clientWidth || 360)));
  const title = wrap(panel.title, TITLE, width - 8), top = 10 + TITLE.line * title.length;
  const height = Math.round(Math.max(215, Math.min(360, .6 * width))) + TITLE.line * (title.length - 1);
  const bottom = height - 36;
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
  const ys = ticks(y0, y1, Math.round(height / 55)), yTexts = tickTexts(ys);
  const left = 22 + Math.ceil(Math.max(12, ...yTexts.map(s => widthOf(s, TEXT))));
  let xs = [], room = width - left;
  for (let count = Math.round(width / 60); count > 0; --count) {
    xs = ticks(x0, x0 + span, count);
    const widest = Math.max(0, ...xs.map(v => widthOf(short(v), TEXT)));
    room = width - left - Math.max(12, widest / 2 + 2);
    if (xs.length < 2 || widest + 8 <= (xs[1] - xs[0]) / span * room) break;
  }
  const right = left + room;
  return {width, height, left, top, right, bottom, title, xs, ys, yTexts, x0, x1: x0 + span,
          x: v => left + (right - left) * (v - x0) / span,
          y: v => bottom - (bottom - top) * (v - y0) / (y1 - y0), y0, y1,
          at: px => x0 + (px - left) / (right - left) * span};
}
const pixel = v => Math.max(-99999, Math.min(99999, v)).toFixed(1);
const pt = (f, x, y) => pixel(f.x(x)) + ' ' + pixel(f.y(y));
// A point without a neighbour is drawn as a short stroke: a line of one point is invisible.
const path = (f, x, y) => y.map((v, t) => {
  if (!Number.isFinite(v)) return '';
  const goesOn = t > 0 && Number.isFinite(y[t - 1]);
  if (goesOn || Number.isFinite(y[t + 1])) return (goesOn ? 'L' : 'M') + pt(f, x[t], v);
  return `M${pixel(f.x(x[t]) - 3)} ${pixel(f.y(v))}h6`;
}).join('');
function band(f, line) {
  if (!line.low || !line.low.every(Number.isFinite) || !line.high.every(Number.isFinite)) return '';
  const up = line.high.map((v, t) => pt(f, line.x[t], v));
  const down = line.low.map((v, t) => pt(f, line.x[t], v)).reverse();
  return '<path class="band" d="M' + up.concat(down).join('L') + 'Z"/>';
}
const text = (cls, x, y, s, more) => `<text class="${cls}" x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more || ''}>${esc(s)}</text>`;
function tickTexts(values) {
  const step = values.length > 1 ? values[1] - values[0] : 1;
  let digits = 0;
  while (digits < 6 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) ++digits;
  return values.map(v => Math.abs(v) >= 1000 ? short(v) : v.toFixed(digits).replace('-', '−'));
}
function axes(f, quantity) {
  const middle = (f.top + f.bottom) / 2;
  return f.title.map((line, i) => text('t', 4, TITLE.size + 1 + i * TITLE.line, line)).join('') +
    f.ys.map((v, i) => `<path class="grid" d="M${f.left} ${f.y(v).toFixed(1)}H${f.right}"/>` +
      text('k end', f.left - 5, f.y(v) + 3.5, f.yTexts[i])).join('') +
    f.xs.map(v => `<path class="axis" d="M${f.x(v).toFixed(1)} ${f.bottom}v3"/>` +
      text('k mid', f.x(v), f.bottom + 14, short(v))).join('') +
    `<path class="axis" d="M${f.left} ${f.bottom}H${f.right}"/>` +
    text('a mid', (f.left + f.right) / 2, f.bottom + 29, 'environment steps') +
    text('a mid', 11, middle, quantity ?? 'return', ` transform="rotate(-90 11 ${middle})"`);
}
// Evaluations before any run has learned.
function shade(f, env) {
  const to = env.first > 0 ? Math.min(f.right, f.x(env.x[env.first - 1])) : f.left;
  return to > f.left ? `<rect class="untrained" x="${f.left}" y="${f.top}" width="${(to - f.left).toFixed(1)}" height="${f.bottom - f.top}"/>` : '';
}
function draw(svg) {
  const panel = panelOf(svg), env = envOf(svg), figure = svg.closest('figure'), lines = series(figure, env, panel.of);
  const f = svg.frame = frame(svg, panel, series(figure, env, data.panels ? data.shown : panel.of), state.zoom[panel.env]);
  const id = 'clip' + svg.dataset.at;
  svg.lines = lines;
  for (const [name, value] of [['viewBox', `0 0 ${f.width} ${f.height}`], ['width', f.width], ['height', f.height]]) svg.setAttribute(name, value);
  svg.innerHTML = `<clipPath id="${id}"><rect x="${f.left}" y="${f.top - 4}" width="${f.right - f.left}" height="${f.bottom - f.top + 8}"/></clipPath>` +
    shade(f, env) + axes(f, env.quantity) + `<g clip-path="url(#${id})">` + lines.map(line => `<g class="${esc(line.style)}" data-s="${esc(line.label)}">` + band(f, line) +
      (line.runs || []).map(run => `<path class="line thin" d="${path(f, line.x, run)}"/>`).join('') +
      `<path class="line${line.thin ? ' thin' : ''}" d="${path(f, line.x, line.y)}"/></g>`).join('') + '</g><g class="over"></g>';
}
const plots = [...document.querySelectorAll('svg[data-plot=curve]')];
const redraw = () => plots.forEach(draw);
// `tarl serve` has put newer data into the page.
addEventListener('tarl-data', () => { data = readData(); tellMode(); redraw(); });
