// The table of runs: the data are in /runs.json, the reader's choices in `view`.
(() => {
  'use strict';
  const $ = id => document.getElementById(id);
  const element = (tag, cls, text) => {
    const made = document.createElement(tag);
    if (cls) made.className = cls;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // Human-readable numbers.
  const known = v => typeof v === 'number' && isFinite(v);
  const number = v => !known(v) ? '–' : (Math.abs(v) >= 1000 ? v.toFixed(0) : String(+v.toPrecision(4))).replace('-', '−');
  const count = v => {
    const [unit, name] = v >= 1e9 ? [1e9, 'G'] : v >= 1e6 ? [1e6, 'M'] : v >= 1e3 ? [1e3, 'k'] : [1, ''];
    return +(v / unit).toPrecision(3) + name;
  };
  const time = s => s >= 7200 ? (s / 3600).toFixed(1) + ' h' : s >= 90 ? (s / 60).toFixed(1) + ' min' : s.toFixed(0) + ' s';
  const ago = s => {
    const past = Math.max(0, Date.now() / 1000 - s);
    return past < 60 ? 'now' : past < 3600 ? Math.floor(past / 60) + ' min ago' : past < 172800 ? Math.floor(past / 3600) + ' h ago' : Math.floor(past / 86400) + ' d ago';
  };
  const date = s => new Date(s * 1000).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';

  function spark(curve) {
    const space = 'http://www.w3.org/2000/svg', svg = document.createElementNS(space, 'svg');
    svg.setAttribute('class', 'spark');
    svg.setAttribute('viewBox', '0 0 96 26');
    svg.setAttribute('aria-hidden', 'true');
    const values = (curve || []).map(v => known(v) ? v : null), good = values.filter(v => v !== null);
    if (good.length > 1) {
      const low = Math.min(...good), span = Math.max(...good) - low || 1, path = document.createElementNS(space, 'path');
      path.setAttribute('d', values.map((v, t) => v === null ? '' : (t && values[t - 1] !== null ? 'L' : 'M') +
        (2 + 92 * t / (values.length - 1)).toFixed(1) + ' ' + (24 - 22 * (v - low) / span).toFixed(1)).join(''));
      svg.append(path);
    }
    return svg;
  }

  // name: of the column; of: what it sorts by; fill: what a cell shows; left: text, not numbers.
  const columns = [
    {key: 'label', name: 'Run', left: true, cls: 'run', of: r => r.label || r.algo, fill: (cell, r) => {
      const link = element('a', '', r.label || r.algo || r.path);
      link.href = '/run/' + r.id;
      cell.append(link, element('small', '', r.path));
    }},
    {key: 'env', name: 'Environment', left: true, of: r => r.env, fill: (cell, r) => cell.append(r.env)},
    {key: 'seed', name: 'Seed', of: r => r.seed, fill: (cell, r) => cell.append(String(r.seed))},
    {key: 'status', name: 'Status', left: true, of: r => r.status, fill: (cell, r) => {
      const state = element('span', 'state ' + r.status, r.status);
      if (r.problem) state.title = r.problem;
      cell.append(state);
    }},
    {key: 'step', name: 'Steps', of: r => r.step, fill: (cell, r) => {
      cell.append(count(r.step) + (r.steps ? ' / ' + count(r.steps) : ''));
      const bar = element('span', 'bar'), done = element('i');
      done.style.width = (r.steps ? Math.min(100, 100 * r.step / r.steps) : 0) + '%';
      bar.append(done);
      cell.append(bar);
    }},
    {key: 'curve', name: 'Curve', left: true, of: r => r.evaluations, fill: (cell, r) => cell.append(spark(r.curve))},
    {key: 'last', name: 'Last', of: r => r.last, fill: (cell, r) => cell.append(number(r.last))},
    {key: 'best', name: 'Best', of: r => r.best, fill: (cell, r) => {
      cell.append(number(r.best));
      if (known(r.best)) cell.append(element('small', '', 'at ' + count(r.best_step)));
    }},
    {key: 'updated', name: 'Updated', of: r => r.updated, fill: (cell, r) => {
      cell.append(r.updated ? ago(r.updated) : '–');
      if (r.updated) cell.title = date(r.updated);
    }},
    {key: 'seconds', name: 'Cost', of: r => r.seconds, fill: (cell, r) => {
      cell.append(r.seconds > 0 ? time(r.seconds) : '–');
      if (known(r.steps_per_second)) cell.append(element('small', '', count(r.steps_per_second) + ' steps/s'));
    }}];

  // View and selection survive a reload and the way back from a run's page.
  const kept = (() => { try { return JSON.parse(sessionStorage.getItem('tarl-runs')) || {}; } catch (_) { return {}; } })();
  const view = {sort: 'label', down: false, text: '', env: '', label: '', status: '', ...kept.view};
  const chosen = new Set(kept.chosen || []);
  const keep = () => { try { sessionStorage.setItem('tarl-runs', JSON.stringify({view, chosen: [...chosen]})); } catch (_) { /* private window */ } };

  let runs = [], shown = [];
  const rows = new Map();  // by id: the row, its checkbox, and what its cells were made from
  const MOST = 200;        // chosen runs; their names must fit into one address

  function makeRow(run) {
    const row = element('tr'), box = element('input'), first = element('td');
    box.type = 'checkbox';
    box.setAttribute('aria-label', 'choose ' + run.path);
    box.addEventListener('click', e => choose(run.id, box.checked, e.shiftKey));
    first.append(box);
    row.append(first);
    const cells = columns.map(column => {
      const cell = element('td', [column.left ? 'l' : '', column.cls || ''].join(' ').trim());
      if (column.key !== 'label') cell.dataset.name = column.name;
      row.append(cell);
      return cell;
    });
    row.dataset.id = run.id;
    return {row, box, cells, made: []};
  }
  // Only cells whose content changes are touched, so that selected text and the focus stay.
  function fillRow(entry, run) {
    columns.forEach((column, i) => {
      const made = element('td');
      column.fill(made, run);
      const text = made.title + made.innerHTML;
      if (entry.made[i] === text) return;
      entry.made[i] = text;
      const focused = entry.cells[i].contains(document.activeElement);
      entry.cells[i].title = made.title;
      entry.cells[i].replaceChildren(...made.childNodes);
      if (focused) entry.cells[i].querySelector('a').focus();
    });
    entry.box.checked = chosen.has(run.id);
    entry.row.classList.toggle('chosen', entry.box.checked);
  }

  let lastChosen = null;
  function choose(id, on, stretch) {
    const ids = shown.map(run => run.id), from = ids.indexOf(lastChosen), to = ids.indexOf(id);
    const all = stretch && from >= 0 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    all.forEach(one => on ? chosen.add(one) : chosen.delete(one));
    lastChosen = id;
    render();
  }

  const compare = (a, b) => known(a) && known(b) ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true});
  function sorted(list) {
    const column = columns.find(c => c.key === view.sort) || columns[0], missing = v => v === undefined || v === null || v === '';
    return [...list].sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      if (missing(x) !== missing(y)) return missing(x) ? 1 : -1;  // unknown last, either way
      return (missing(x) ? 0 : (view.down ? -1 : 1) * compare(x, y)) || compare(a.env, b.env) || compare(a.path, b.path);
    });
  }
  function wanted(run) {
    const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
    const all = [run.path, run.env, run.algo, run.label, 'seed ' + run.seed, run.status].join(' ').toLowerCase();
    return words.every(word => all.includes(word)) && ['env', 'label', 'status'].every(key => !view[key] || run[key] === view[key]);
  }

  function options(id, values) {
    const select = $(id), now = [...new Set(values)].filter(Boolean).sort((a, b) => a.localeCompare(b, undefined, {numeric: true}));
    if (view[id] && !now.includes(view[id])) now.push(view[id]);
    if ([...select.options].slice(1).map(o => o.value).join('\n') !== now.join('\n')) {
      select.replaceChildren(select.options[0], ...now.map(value => new Option(value, value)));
    }
    select.value = view[id];
  }

  function render() {
    options('env', runs.map(r => r.env));
    options('label', runs.map(r => r.label));
    options('status', runs.map(r => r.status));
    shown = sorted(runs.filter(wanted));
    const there = new Set(runs.map(r => r.id));
    for (const id of rows.keys()) if (!there.has(id)) { rows.delete(id); chosen.delete(id); }
    for (const run of shown) {
      if (!rows.has(run.id)) rows.set(run.id, makeRow(run));
      fillRow(rows.get(run.id), run);
    }
    const order = shown.map(run => rows.get(run.id).row), body = $('body');
    if (order.length !== body.children.length || order.some((row, i) => row !== body.children[i])) {
      const focused = document.activeElement;
      body.replaceChildren(...order);
      if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({preventScroll: true});
    }
    [...$('head').children].slice(1).forEach((th, i) => {
      columns[i].key === view.sort ? th.setAttribute('aria-sort', view.down ? 'descending' : 'ascending') : th.removeAttribute('aria-sort');
    });
    const named = [...chosen].filter(id => there.has(id)).length;
    $('compare').disabled = named < 1 || named > MOST;
    $('compare').textContent = named > MOST ? `Choose at most ${MOST}` : named === 1 ? 'Open chosen' : `Compare ${named || 'chosen'}`;
    $('clear').disabled = named === 0;
    $('count').textContent = `${shown.length === runs.length ? '' : shown.length + ' of '}${runs.length} run${runs.length === 1 ? '' : 's'}` +
      (unread ? `, reading ${unread} more` : '');
    $('none').hidden = shown.length > 0;
    $('none').textContent = runs.length ? 'No run matches.' : unread ? 'Reading …' : 'No runs here yet. This table shows them as soon as they begin.';
    keep();
  }

  const head = element('th');
  head.append(element('span', 'note', ''));
  $('head').append(head, ...columns.map(column => {
    const th = element('th', column.left ? 'l' : ''), button = element('button', '', column.name);
    th.scope = 'col';
    button.type = 'button';
    button.addEventListener('click', () => {
      // Best and newest first, names from A to Z.
      view.down = view.sort === column.key ? !view.down : !column.left && column.key !== 'seed';
      view.sort = column.key;
      render();
    });
    th.append(button);
    return th;
  }));
  for (const id of ['text', 'env', 'label', 'status']) {
    $(id).value = view[id];
    $(id).addEventListener('input', () => { view[id] = $(id).value; render(); });
  }
  $('sort').append(...columns.map(column => new Option(column.name, column.key)));
  $('sort').value = view.sort;
  $('sort').addEventListener('input', () => { view.sort = $('sort').value; view.down = !columns.find(c => c.key === view.sort).left; render(); });
  $('compare').addEventListener('click', () => {
    const ids = runs.map(r => r.id).filter(id => chosen.has(id));
    location.href = ids.length === 1 ? '/run/' + ids[0] : '/compare/' + ids.join('+');
  });
  $('clear').addEventListener('click', () => { chosen.clear(); render(); });

  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = document.activeElement, row = at && at.closest('#body tr');
    if (e.key === '/' && !at.matches('input[type=search]')) { e.preventDefault(); $('text').focus(); }
    if (e.key === 'Escape' && at === $('text')) { $('text').value = view.text = ''; render(); }
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      if (at.matches('select')) return;
      const all = [...$('body').children], to = e.key === 'ArrowUp' ? all.indexOf(row) - 1 : all.indexOf(row) + 1;
      if ((row || at === $('text') || at === document.body) && all[to]) { e.preventDefault(); all[to].querySelector('a').focus(); }
    }
    if (e.key === ' ' && row && at.matches('a')) {
      e.preventDefault();
      choose(row.dataset.id, !chosen.has(row.dataset.id), e.shiftKey);
    }
  });

  const root = document.documentElement;
  const stored = get => { try { return get(); } catch (_) { return null; } };
  const told = stored(() => localStorage.getItem('tarl-theme'));
  if (told === 'dark' || told === 'light') root.dataset.theme = told;
  $('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    stored(() => localStorage.setItem('tarl-theme', root.dataset.theme));
  });

  let unread = 0, asking = false, again = false;
  async function load() {
    if (asking) { again = true; return; }
    asking = true;
    try {
      do {
        again = false;
        const told = await (await fetch('/runs.json')).json();
        runs = told.runs;
        unread = told.unread;
        render();
      } while (again);
      $('problem').hidden = true;
    } catch (problem) { say('The server does not answer: is tarl serve still running?'); }
    asking = false;
  }
  function say(text) { $('problem').textContent = text; $('problem').hidden = false; }
  const events = new EventSource('/events');
  events.addEventListener('runs', load);
  events.addEventListener('status', e => {
    const told = JSON.parse(e.data);
    if (told.problem) say(told.problem);
  });
  events.onopen = load;
  events.onerror = () => say('Not connected: is tarl serve still running?');
  load();
  setInterval(render, 60000);  // "5 min ago" grows older
})();
