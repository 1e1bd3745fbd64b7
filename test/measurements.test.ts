import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readOutput } from '../measurements/read-outputs.ts'
import { renderMeasurements } from '../measurements/render-measurements.ts'

const RUN =
  '{"run":{"command":"npm run bench -- --only decode","machine":"2 cores of X","node":"v24.1.0","date":"2026-11-22","load":0.2}}'
const FIGURE =
  '{"bench":"decode","figure":"payments in one thread","unit":"payments/s","value":113212,"peer":"viem 2.57.1","peerValue":16698,"ratio":6.78}'
const aims = [{ area: 'decode', figure: 'payments*', atLeast: 120_000 }]

test('a figure is next to its peer, its ratio, and the run that measured it', () => {
  const page = renderMeasurements(readOutput(`${RUN}\nwords for people\n${FIGURE}\n`), [])
  assert.match(page, /\| figure \| measured \| viem 2.57.1 \| ratio \|/)
  assert.match(page, /\| payments in one thread \| 113,212 payments\/s \| 16,698 \| 6.78 \|/)
  assert.match(page, /- `npm run bench -- --only decode`, 2026-11-22, machine A, load 0.2/)
  assert.match(page, /Machine A: 2 cores of X, Node v24.1.0\./)
  assert.match(page, /No measured figure misses its aim/)
})

test('a figure that misses its target is listed first, and a target without a figure is named', () => {
  const missing = { area: 'soak', figure: 'calls', atLeast: 1 }
  const page = renderMeasurements(readOutput(`${RUN}\n${FIGURE}\n`), [...aims, missing])
  const [before = '', after = ''] = page.split('## decode')
  assert.match(before, /decode: payments in one thread .* at least 120,000/)
  assert.match(before, /Aims without a figure here: soak, calls\./)
  assert.match(after, /payments in one thread/)
})

test('a figure is judged by the aim of its whole name, and by its ratio to the peer that the aim names', () => {
  const own = [
    { area: 'dec*', figure: 'payments', atLeast: 1e9 },
    { area: 'decode', figure: '*one thread', peer: 'PostgreSQL', atLeast: 1e9 },
    { area: 'decode', figure: '*one thread', peer: 'viem', of: 'ratio' as const, atLeast: 7 },
  ]
  const page = renderMeasurements(readOutput(`${RUN}\n${FIGURE}\n`), own)
  assert.match(page, /\| 6\.78 \| ratio at least 7 \|/)
  assert.match(
    page,
    /Aims without a figure here: dec\*, payments; decode, \*one thread \(against PostgreSQL\)\./,
  )
})

test('the processor time of a figure is in its row, and several peers are named in each row', () => {
  const time =
    '"figure":"processor time of payments in one thread","unit":"µs","value":8,"peer":"viem 2.57.1"'
  const other = FIGURE.replace('viem 2.57.1', 'ethers 6').replace('16698', '9000')
  const page = renderMeasurements(
    readOutput(`${RUN}\n${FIGURE}\n{"bench":"decode",${time},"peerValue":52}\n${other}\n`),
    [],
  )
  assert.match(page, /thread \| 113,212 payments\/s \| viem 2.57.1 16,698 \| 6.78 \| 8 µs, peer 52 \|/)
  assert.match(page, /thread \| 113,212 payments\/s \| ethers 6 9,000 \| 6.78 \| {2}\|/)
  assert.doesNotMatch(page, /processor time of/)
})

test('small areas of one run are one table', () => {
  const lines = ['start', 'calc'].map((area) => FIGURE.replace('"decode"', `"${area}"`))
  const page = renderMeasurements(readOutput(`${RUN}\n${lines.join('\n')}\n`), [])
  assert.match(page, /## start, calc\n/)
  assert.match(page, /\| calc: payments in one thread \| 113,212/)
})

test('an area whose only figure is the zero of its aim is a line of its run', () => {
  const zero = '{"bench":"crash","figure":"violations","value":0}'
  const page = renderMeasurements(readOutput(`${RUN}\n${zero}\n`), [
    { area: 'crash', figure: 'violations', atMost: 0 },
  ])
  assert.match(page, /load 0.2: violations \(crash\)\n/)
  assert.doesNotMatch(page, /## crash/)
})

test('figures of several cases are a table with a column for each', () => {
  const growth = (name: string, value: number) =>
    `{"bench":"growth","figure":"${name}","unit":"s","value":${value},"peer":"a week","peerValue":7}`
  const lines = [growth('publication, ledger of 16', 8), growth('publication, ledger of 48', 9)]
  const page = renderMeasurements(readOutput(`${RUN}\n${lines.join('\n')}\n`), [])
  assert.match(page, /\| figure \| a week \| ledger of 16 \| ledger of 48 \|/)
  assert.match(page, /\| publication \| 7 \| 8 s \| 9 s \|/)
})

test('a figure without a peer and an aim is not on the page', () => {
  const alone = '{"bench":"decode","figure":"rounds","value":10}'
  const output = readOutput(`${RUN}\n${FIGURE}\n${alone}\n`)
  assert.doesNotMatch(renderMeasurements(output, aims), /rounds/)
  assert.match(
    renderMeasurements(output, [{ area: 'decode', figure: 'rounds', atLeast: 1 }]),
    /\| rounds \| 10 \|/,
  )
})

test('a figure without a run is rejected', () => {
  assert.throws(() => readOutput(FIGURE), /no line before it says/)
})

test('the page of measurements is what its outputs say', () => {
  const files = globSync('measurements/outputs/*.jsonl').toSorted()
  const measured = files.flatMap((file) => readOutput(readFileSync(file, 'utf8')))
  assert.equal(readFileSync('docs/measurements.md', 'utf8'), renderMeasurements(measured))
})
