import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from './logger.ts'
import { createRequestLines, type RequestLine } from './request-lines.ts'

/** The output of both ways, without the time of each line. */
function listen(level: string) {
  const lines: string[] = []
  const logger = createLogger(level, { write: (line) => lines.push(line.replace(/"time":\d+/, '"time":0')) })
  return { lines, logger }
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const LINES: readonly RequestLine[] = [
  {
    endpoint: 'tweets.by.id',
    status: 200,
    ms: 0.3,
    requestId: '6b2f0d1e-0000-4000-8000-000000000001',
    traceId,
  },
  { endpoint: null, status: 404, ms: 12, requestId: '6b2f0d1e-0000-4000-8000-000000000002', traceId },
  {
    endpoint: 'tweets.by.id',
    status: 402,
    ms: 0,
    requestId: '6b2f0d1e-0000-4000-8000-000000000003',
    traceId,
  },
]

test('a line equals what the logger itself would write, also with its own bindings', () => {
  for (const bindings of [{}, { service: 'social "data"' }]) {
    const { lines, logger } = listen('info')
    const child = logger.child(bindings)
    const write = createRequestLines(child)
    for (const line of LINES) {
      const { requestId, traceId, ...fields } = line
      write(line)
      child.info({ ...fields, request_id: requestId, trace_id: traceId }, 'request')
      const [ours, theirs] = lines.splice(0)
      assert.equal(ours, theirs)
    }
  }
})

test('nothing is written if the level is above info', () => {
  const { lines, logger } = listen('warn')
  const [line] = LINES
  if (line) createRequestLines(logger)(line)
  assert.deepEqual(lines, [])
})
