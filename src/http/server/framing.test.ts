import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import * as z from 'zod'
import { createTestApp } from '../../../testing/catalogue/test-app.ts'
import { talk } from '../../../testing/servers/raw-connection.ts'
import { json } from '../../catalogue/answer.ts'
import { defineEndpoint } from '../../catalogue/endpoint.ts'
import { listen } from './serve.ts'

const common = {
  method: 'POST',
  summary: 'Takes a body',
  description: 'Takes a body.',
  input: z.object({}),
  output: z.unknown(),
  example: { input: {}, output: {} },
  limits: { bodyBytes: 1_000, timeoutMs: 20_000 },
  handle: () => json({ is_taken: true }),
} as const
const endpoints = [
  defineEndpoint({ ...common, id: 'free', path: '/free', pricing: { kind: 'free' } }),
  defineEndpoint({ ...common, id: 'paid', path: '/paid', pricing: { kind: 'exact', priceUsd: '0.01' } }),
]
const logger = pino({ level: 'silent' })
const listening = await listen({
  app: createTestApp(endpoints, { logger }),
  host: '127.0.0.1',
  port: 0,
  logger,
})
after(() => listening.close())

for (const path of ['/free', '/paid', '/nowhere', '/healthz'])
  for (const coding of ['chunked', 'Chunked', 'gzip, chunked'])
    test(`POST ${path} by HTTP/1.0 with Transfer-Encoding: ${coding} is rejected, and its connection is closed`, async () => {
      const head = ['host: test', 'content-type: application/json', `Transfer-Encoding: ${coding}`]
      const next = 'GET /healthz HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n'
      const body = `2\r\n{}\r\n0\r\n\r\n${next}`
      const text = await talk(
        listening.url,
        `POST ${path} HTTP/1.0\r\nconnection: keep-alive\r\n${head.join('\r\n')}\r\n\r\n${body}`,
      )
      assert.match(text, /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/)
      assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
    })
