import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineEndpoint, defineService, json } from '@tollbook/endpoints'
import { createWorkerPool } from '@tollbook/workers/pool'
import { pino } from 'pino'
import * as z from 'zod'
import { loadConfig } from './config.ts'
import { toApp } from './declared-app.ts'
import { createShutdown } from './process/shutdown.ts'

const now = defineEndpoint({
  id: 'now',
  method: 'GET',
  path: '/now',
  pricing: { kind: 'free' },
  summary: 'Now',
  description: 'The time.',
  input: z.object({}),
  output: z.object({ ms: z.number() }),
  example: { input: {} },
  limits: { bodyBytes: 0, timeoutMs: 1_000 },
  handle: (call) => json({ ms: call.now.getTime() }),
})

test('a declared service opens with its ports, which are closed after what is opened later', async () => {
  const events: string[] = []
  const declaration = defineService({
    name: 'clock',
    title: 'Clock',
    description: 'Tells the time.',
    endpoints: [now],
    ports: async ({ baseUrl, signal, onClose }) => {
      onClose(() => void events.push(`first, stopped: ${signal.aborted}`))
      onClose(async () => void events.push('second'))
      return { baseUrl }
    },
  })
  const app = toApp(declaration)
  assert.deepEqual([app.name, app.port], ['clock', 4030])
  assert.equal(toApp({ ...declaration, port: 0 }, { port: 4031 }).port, 0)
  assert.equal(toApp(declaration, { port: 4031 }).port, 4031)
  const shutdown = createShutdown()
  const logger = pino({ level: 'silent' })
  const workers = createWorkerPool()
  const config = loadConfig({})
  const { open } = await app.prepare({ config, logger, shutdown })
  shutdown.onClose(async () => void events.push('gate'))
  const service = await open({
    config,
    baseUrl: 'https://clock.example',
    state: null,
    workers,
    logger,
    mount: null,
  })
  assert.deepEqual(service.ports, { baseUrl: 'https://clock.example' })
  assert.deepEqual(service.tools, ['now'])
  assert.equal(service.endpoints[0]?.description, 'The time.')
  await shutdown.close()
  await workers.close()
  assert.deepEqual(events, ['gate', 'second', 'first, stopped: true'])
})
