import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { talk } from '@tollbook/testing/servers/raw-connection'
import { createServedService } from '@tollbook/testing/servers/served-service'
import { pino } from 'pino'
import { listen } from './serve.ts'

const logger = pino({ level: 'silent' })
const listening = await listen({
  app: createServedService(logger).app,
  host: '127.0.0.1',
  port: 0,
  logger,
})
after(() => listening.close())

for (const path of ['/free', '/upload', '/nowhere', '/healthz'])
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
