import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { Histogram, Registry } from 'prom-client'
import { createDurationHistogram } from './duration-histogram.ts'

const OPTIONS = { name: 'time_seconds', help: 'Time from "a" to b.', bounds: [0.001, 0.5, 2.5, 60] }
const LABELS = ['endpoint', 'status_class'] as const

test('the metrics text equals that of the prom-client histogram, byte for byte', async () => {
  const labels = fc.record({
    endpoint: fc.constantFrom('a', 'b.c', 'none'),
    status_class: fc.constantFrom('2xx', '5xx'),
  })
  const seconds = fc.oneof(fc.constantFrom(...OPTIONS.bounds), fc.double({ min: 0, max: 100, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(labels, seconds), { maxLength: 30 }), async (values) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const { name, help, bounds } = OPTIONS
      const histogram = createDurationHistogram(OPTIONS, ours)
      const expected = new Histogram({
        name,
        help,
        buckets: [...bounds],
        labelNames: LABELS,
        registers: [theirs],
      })
      const series = new Map<string, ReturnType<typeof histogram.addSeries>>()
      for (const [given, value] of values) {
        const key = JSON.stringify(given)
        const known = series.get(key) ?? histogram.addSeries(given)
        series.set(key, known)
        known.add(value)
        expected.observe(given, value)
      }
      assert.equal(await ours.metrics(), await theirs.metrics())
    }),
    { numRuns: 60 },
  )
})
