// Reads the data and summarises runs, by the definitions of the room statistics.
'use strict';
const readData = () => JSON.parse(document.getElementById('data').textContent);
let data = readData();
const pressed = document.querySelector('[data-set=smooth] [aria-pressed=true]');
const state = {band: 'median', smooth: pressed ? +pressed.value : 1, hidden: new Set(), zoom: {}};
const errors = [];
addEventListener('error', e => errors.push(e.message));
const esc = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
const mean = v => v.reduce((a, b) => a + b, 0) / v.length;
const sorted = v => [...v].sort((a, b) => a - b);
function quantile(v, q) {
  const s = sorted(v), at = q * (s.length - 1), low = Math.floor(at);
  return s[low] + (at - low) * (s[Math.min(low + 1, s.length - 1)] - s[low]);
}
function iqm(v) {
  const cut = Math.floor(v.length / 4);
  return mean(sorted(v).slice(cut, v.length - cut));
}
function smoothed(run) {
  return run.map((_, t) => mean(run.slice(Math.max(0, t + 1 - state.smooth), t + 1)));
}
// Smooths a line given point by point; missing values are null.
function steady(line) {
  const average = t => mean(line.slice(Math.max(0, t + 1 - state.smooth), t + 1).filter(Number.isFinite));
  return state.smooth < 2 ? line : line.map((v, t) => v === null ? null : average(t));
}
const across = (runs, f) => runs[0].map((_, t) => f(runs.map(run => run[t])));
function summary(cell) {
  if (cell.line) return {y: cell.smooths ? steady(cell.line) : cell.line, low: cell.low, high: cell.high, thin: cell.thin};
  const runs = state.smooth < 2 ? cell.runs : cell.smooth || cell.runs.map(smoothed), several = runs.length > 1;
  const band = (low, high) => several ? {low: across(runs, low), high: across(runs, high)} : {};
  switch (state.band) {
    case 'mean': {
      const ci = state.smooth < 2 ? cell.ci : cell.ci10;
      return {y: across(runs, mean), ...(ci ? {low: ci[0], high: ci[1]} : {})};
    }
    case 'iqm': return {y: across(runs, iqm)};
    case 'range': return {y: across(runs, v => quantile(v, .5)),
                          ...band(v => Math.min(...v), v => Math.max(...v))};
    case 'seeds': return {y: across(runs, v => quantile(v, .5)), runs};
    default: return {y: across(runs, v => quantile(v, .5)),
                     ...band(v => quantile(v, .25), v => quantile(v, .75))};
  }
}
// What the legend of a figure has hidden.
const hiding = (figure, name) => `${figure.id}: ${name}`;
// The visible curves of a panel, or of a whole environment.
function series(figure, env, of) {
  return of.flatMap(i => {
    const cell = env.cells[i], a = data.algorithms[i];
    return cell && (cell.line || cell.runs[0]).length && !state.hidden.has(hiding(figure, a.label))
      ? [{...a, ...summary(cell), x: env.x, seeds: cell.seeds}] : [];
  });
}
// Panels of a report share environments; elsewhere each has its own, complete numbers.
const panelOf = svg => data.panels ? data.panels[svg.dataset.at]
  : {env: +svg.dataset.at, title: data.environments[svg.dataset.at].title, of: data.algorithms.map((_, i) => i)};
const envOf = svg => data.environments[panelOf(svg).env];
