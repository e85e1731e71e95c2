// SPDX-License-Identifier: MIT
// axes_test.js PAGE: the axes that a report's script draws end and stay numbers, however little or
// much the values differ. The functions are taken out of the page as it is.
'use strict';
const page = require('fs').readFileSync(process.argv[2], 'utf8');
const from = page.indexOf('const LARGEST'), to = page.indexOf('function short(v)');
if (from < 0 || to < from) throw new Error('the page has no axes to test');
const {range, ticks} = new Function(page.slice(from, to) + 'return {range, ticks};')();

const same = (what, found, expected) => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }
};
same('round numbers', ticks(0, 1, 4), [0, .25, .5, .75, 1]);
same('no values', range(Infinity, -Infinity), [0, 1]);
same('a constant', range(500, 500), [499.5, 500.5]);
same('rounding', range(0, 5e-324), [-.5, .5]);
same('a range that is none', ticks(NaN, 1, 4), []);
same('most ticks', ticks(0, 1e15, 1e6).length, 50);

const pairs = [[.1, .1], [-.8000000000000002, -.8], [-123.40000000000001, -123.4],
               [500, 500.00000000000006], [.3, .1 + .2], [1e16, 1e16 + 2],
               [1e300, 1.0000000000000002e300], [-5e-324, 5e-324], [1e-310, 2e-310],
               [-Number.MAX_VALUE, Number.MAX_VALUE], [-Infinity, Infinity]];
for (const [low, high] of pairs) {
  for (const found of [ticks(low, high, 4), ticks(...range(low, high), 4)]) {
    if (found.length < 1 || found.length > 10 || !found.every(Number.isFinite)) {
      throw new Error(`${low} to ${high}: ${found}`);
    }
  }
}
console.log(`${pairs.length} pairs of values have their axes`);
