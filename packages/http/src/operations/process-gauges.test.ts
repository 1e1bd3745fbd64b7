import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { registerProcessGauges } from './process-gauges.ts'

const readValue = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  )

test('a process reports its memory, and how long its event loop was blocked since the first scrape', async () => {
  const registry = new Registry()
  registerProcessGauges(registry)
  await registry.metrics()
  await wait(50)
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs);
  await wait(50)
  const text = await registry.metrics()
  const worst = readValue(text, 'tollbook_event_loop_delay_seconds{quantile="0.999"}')
  // The loop was blocked for 300 ms; a busy machine may only make it longer.
  assert.ok(worst > 0.25, `${worst}`)
  assert.ok(readValue(text, 'process_resident_memory_bytes') > 10_000_000)
  assert.ok(readValue(text, 'process_cpu_seconds_total') > 0)
  // The main thread's objects and buffers are a part of the resident memory.
  const parts = ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'].map((name) =>
    readValue(text, name),
  )
  assert.ok(
    parts.every((part) => part > 0 && part < readValue(text, 'process_resident_memory_bytes')),
    `${parts}`,
  )
  // This process started before its test, and less than an hour ago.
  const age = Date.now() / 1000 - readValue(text, 'process_start_time_seconds')
  assert.ok(age > 0 && age < 3600, `${age}`)
})
