// SPDX-License-Identifier: MIT
// Put into a page by browser_test.py: every text of every drawing stays inside its drawing, touches
// no other text, and has its size; no box of the page sticks out. The outcome goes into the title.
addEventListener('load', () => setTimeout(() => {
  const problems = [], told = s => s.length > 40 ? s.slice(0, 37) + '...' : s;
  const inside = (a, b, room) => a.left >= b.left - room && a.right <= b.right + room &&
    a.top >= b.top - room && a.bottom <= b.bottom + room;
  // Boxes of letters are taller than what is printed.
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const outermost = [...document.querySelectorAll('svg')].filter(svg => !svg.parentElement.closest('svg'));
  let texts = 0;
  for (const svg of outermost) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    const boxes = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]);
    texts += boxes.length;
    for (const [t, box] of boxes) {
      const own = t.closest('svg').getBoundingClientRect();
      if (!inside(box, own, 1)) problems.push(`outside its drawing: ${told(t.textContent)}`);
      const size = parseFloat(getComputedStyle(t).fontSize) * frame.width / svg.viewBox.baseVal.width;
      const due = t.classList.contains('t') ? 13 : 11;
      if (Math.abs(size - due) > .15) problems.push(`${size.toFixed(1)} px instead of ${due}: ${told(t.textContent)}`);
    }
    boxes.forEach(([t, a], i) => boxes.slice(i + 1).forEach(([u, b]) => {
      if (overlap(a, b)) problems.push(`overlap: ${told(t.textContent)} / ${told(u.textContent)}`);
    }));
  }
  for (const box of document.querySelectorAll('h1,h2,h3,h4,p,li,dd,button,summary,figcaption,.scroll,.verdict')) {
    const b = box.getBoundingClientRect();
    if (!b.width || box.closest('nav') || box.closest('.scroll') !== null && !box.matches('.scroll')) continue;
    if (b.right > innerWidth + 1 || b.left < -1) problems.push(`outside the page: ${told(box.textContent)}`);
  }
  // Curves beside each other stand on one line.
  for (const panels of document.querySelectorAll('.panels:not(.fixed)')) {
    const boxes = [...panels.children].map(svg => svg.getBoundingClientRect());
    boxes.slice(1).forEach((b, i) => {
      if (b.left > boxes[i].left && Math.abs(b.bottom - boxes[i].bottom) > 1) problems.push(`axes at ${boxes[i].bottom} and ${b.bottom}`);
    });
  }
  // Where names have ordinary lengths, a laptop shows whole tables.
  for (const box of document.querySelectorAll('.scroll')) {
    const names = [...box.querySelectorAll('th,td.l')].map(cell => cell.textContent.length);
    if (innerWidth >= 1280 && Math.max(...names) <= 40 && box.scrollWidth > box.clientWidth + 1) problems.push(`a table of ${box.scrollWidth} in ${box.clientWidth} px: ${box.getAttribute('aria-label')}`);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.push('scrolls sideways');
  if (!texts) problems.push('no text in any drawing');
  document.title = problems.length ? `LAYOUT FAILED (${problems.length}): ` + problems.slice(0, 12).join('; ')
    : `LAYOUT OK (${texts} texts at ${innerWidth} px)`;
}, 0));
