// Updates the page in place and leaves everything else as it is, including what the reader has
// selected, opened or zoomed.
(() => {
  'use strict';
  const bar = document.getElementById('tarl-live'), said = bar.querySelector('span');
  const mine = bar.dataset.runs.split(' ').filter(Boolean);
  const place = document.querySelector('nav div');
  place ? place.append(bar) : document.body.prepend(bar);
  // What the page's script knows by its place: only a new page has others.
  const kinds = root => root.querySelectorAll('svg[data-plot]').length + [...root.querySelectorAll('.legend')].map(l => l.textContent).join();

  function renew(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) { old.replaceWith(fresh); return; }
    if (old.nodeType === Node.TEXT_NODE) { old.data = fresh.data; return; }
    // The page's script draws the first and listens to the others.
    if (old.matches('svg[data-plot], .controls, .legend, #curves figcaption')) return;
    for (const {name, value} of [...fresh.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const before = [...old.childNodes], after = [...fresh.childNodes];
    after.forEach((node, i) => i < before.length ? renew(before[i], node) : old.append(node));
    before.slice(after.length).forEach(node => node.remove());
  }

  // A page is requested again only after a pause of a multiple of the time it took.
  let due = false, busy = false, rest = 0;
  async function refresh() {
    if (!due || busy || document.hidden || performance.now() < rest) return;
    due = false;
    busy = true;
    const start = performance.now();
    try {
      const answer = await fetch(location.pathname);
      if (!answer.ok) throw new Error(answer.status);
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const data = fresh.getElementById('data'), old = document.getElementById('data');
      // The first results have come, or more kinds of curves.
      if (!data !== !old || kinds(fresh) !== kinds(document)) { location.reload(); return; }
      for (const part of ['header', 'main', 'footer']) {
        const now = document.querySelector(part), then = fresh.querySelector(part);
        if (now && then) renew(now, then);
      }
      document.title = fresh.title;
      if (!data || data.textContent === old.textContent) return;
      old.textContent = data.textContent;
      dispatchEvent(new Event('tarl-data'));
    } catch (_) {
      due = true;
    } finally {
      rest = performance.now() + Math.max(1000, 5 * (performance.now() - start));
      busy = false;
    }
  }
  setInterval(refresh, 250);
  document.addEventListener('visibilitychange', refresh);

  const show = s => {
    if (s.problem) { said.textContent = s.problem; return; }
    const parts = [`${s.done} of ${s.runs} done`, `${s.running} running`];
    if (s.failed) parts.push(`${s.failed} failed`);
    if (s.seconds_left) parts.push(`${Math.ceil(s.seconds_left / 60)} min left`);
    said.textContent = parts.join(', ');
  };
  const told = () => fetch('/status.json').then(r => r.json()).then(show).catch(() => {});
  const events = new EventSource('/events');
  events.addEventListener('status', e => show(JSON.parse(e.data)));
  events.addEventListener('runs', e => {
    const ids = JSON.parse(e.data);
    if (!mine.length || ids.some(id => mine.includes(id))) { due = true; refresh(); }
  });
  // Changes from before the connection must be requested.
  events.onopen = () => { due = true; told(); };
  events.onerror = () => { said.textContent = 'not connected'; };
})();
