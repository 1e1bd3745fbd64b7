import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createMeter } from './meter.ts'

test('counters and histograms have a series for each set of labels, and zero begins one', async () => {
  const registry = new Registry()
  const meter = createMeter(registry)
  const counter = meter.counter({ name: 'calls_total', help: 'Calls', labels: ['route'] })
  counter.add({ route: 'a' })
  counter.add({ route: 'a' }, 2)
  counter.add({ route: 'b' }, 0)
  const histogram = meter.histogram({ name: 'call_seconds', help: 'Time', labels: ['route'], bounds: [1, 5] })
  histogram.zero({ route: 'b' })
  histogram.record({ route: 'a' }, 3)
  assert.equal(
    await registry.metrics(),
    `# HELP calls_total Calls
# TYPE calls_total counter
calls_total{route="a"} 3
calls_total{route="b"} 0

# HELP call_seconds Time
# TYPE call_seconds histogram
call_seconds_bucket{le="1",route="b"} 0
call_seconds_bucket{le="5",route="b"} 0
call_seconds_bucket{le="+Inf",route="b"} 0
call_seconds_sum{route="b"} 0
call_seconds_count{route="b"} 0
call_seconds_bucket{le="1",route="a"} 0
call_seconds_bucket{le="5",route="a"} 1
call_seconds_bucket{le="+Inf",route="a"} 1
call_seconds_sum{route="a"} 3
call_seconds_count{route="a"} 1
`,
  )
})

test('a gauge is read at each collection, and keeps its figures if it cannot be read', async () => {
  const registry = new Registry()
  const readings = [[{ value: 'a', figure: 1n }], [{ value: 'b', figure: 2 }], null]
  const read = async () => readings.shift() ?? Promise.reject(new Error('the store is away'))
  createMeter(registry).gauge({ name: 'open_calls', help: 'Open calls', label: 'state', read })
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))
  assert.deepEqual(await lines(), ['open_calls{state="a"} 1', ''])
  assert.deepEqual(await lines(), ['open_calls{state="b"} 2', ''])
  assert.deepEqual(await lines(), ['open_calls{state="b"} 2', ''])
})
