import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { dial, readAll, requestOf, talk } from '@tollbook/testing/servers/raw-connection'
import { createServedService, LARGE_BYTES } from '@tollbook/testing/servers/served-service'
import { pino } from 'pino'
import { type Listening, listen } from './serve.ts'

const logged: string[] = []
const logger = pino({}, { write: (line: string) => void logged.push(line) })
const { app, running, aborted, release } = createServedService(logger)

const open: Listening[] = []
async function start(options: Partial<Parameters<typeof listen>[0]> = {}): Promise<Listening> {
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger, ...options })
  open.push(listening)
  return listening
}
after(() => Promise.all(open.map((listening) => listening.close())))

test('requests that Node rejects are problems too: headers too large, no HTTP, a path with a backslash', async () => {
  const { url } = await start()
  const large = await talk(url, requestOf('GET /free HTTP/1.1', [`x: ${'y'.repeat(20_000)}`]))
  assert.match(large, /^HTTP\/1\.1 431 /)
  assert.match(large, /"code":"header_too_large"/)
  const garbage = await talk(url, 'hello\r\n\r\n')
  assert.match(garbage, /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*"code":"invalid_request"/)
  const backslash = await talk(url, requestOf('GET /free\\x HTTP/1.1'))
  assert.match(backslash, /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/)
})

test('a request with two Host headers is rejected and its connection closed, whichever is ours', async () => {
  const { url } = await start()
  const dozen = Array.from({ length: 40 }, (_, at) => `x-${at}: 1`)
  for (const further of [['host: test'], ['HOST: other'], ['Host:'], [...dozen, 'hOsT: other']]) {
    const lines = ['GET /free HTTP/1.1', 'host: test', ...further]
    const next = requestOf('GET /free HTTP/1.1')
    const text = await talk(url, `${lines.join('\r\n')}\r\n\r\n${next}`)
    assert.match(text, /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*"code":"invalid_request"/)
    assert.doesNotMatch(text, /"mode":"ok"/)
  }
  const named = await talk(url, requestOf('GET /free HTTP/1.1', ['x-host: other', 'hosts: other']))
  assert.match(named, /^HTTP\/1\.1 200 /)
})

test('more than 200 headers are rejected, not dropped: one of them may be a second host', async () => {
  const { url } = await start()
  // `host` and `connection` are two of them.
  const headers = (count: number) => Array.from({ length: count - 2 }, (_, at) => `x-${at}: 1`)
  assert.match(await talk(url, requestOf('GET /free HTTP/1.1', headers(200))), /^HTTP\/1\.1 200 /)
  for (const count of [201, 202, 300, 500]) {
    const text = await talk(url, requestOf('GET /free HTTP/1.1', [...headers(count - 1), 'host: other']))
    assert.match(text, /^HTTP\/1\.1 431 [\s\S]*"code":"header_too_large"/, `${count}`)
  }
})

test('a client that sends its headers slowly is cut', async () => {
  const { url } = await start({ headersMs: 100 })
  const text = await talk(url, 'GET /free HTTP/1.1\r\nhost: te')
  assert.match(text, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
})

test('a challenge is sent before the body has arrived', async () => {
  const { url } = await start()
  const socket = await dial(url)
  const head =
    'POST /upload HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 40000000\r\n\r\n'
  socket.write(`${head}{"text":"`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString(), /^HTTP\/1\.1 402 /)
  socket.destroy()
})

test('the next request is answered after a body that is rejected before its end', async () => {
  const { url } = await start()
  const body = 'x'.repeat(2_000_000)
  const behind = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${requestOf('GET /free HTTP/1.1')}`
  // The adapter reads a host in capitals.
  for (const host of ['test', 'TEST']) {
    for (const isLate of [false, true]) {
      const socket = await dial(url)
      const answers = readAll(socket)
      const head = ['POST /upload HTTP/1.1', `host: ${host}`, 'content-type: application/json']
      socket.write(`${[...head, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`)
      if (isLate) await once(socket, 'data')
      socket.write(behind)
      assert.match(await answers, /^HTTP\/1\.1 402 [\s\S]*HTTP\/1\.1 200 /, `${host} ${isLate}`)
    }
  }
})

test('pipelined requests are answered in order, whichever is ready first', async () => {
  const { url } = await start()
  const isRunning = running()
  const socket = await dial(url)
  socket.write('GET /free?mode=wait HTTP/1.1\r\nhost: test\r\n\r\n')
  socket.write(requestOf('GET /free HTTP/1.1'))
  await isRunning
  await fetch(`${url}/free`)
  release()
  const answers = await readAll(socket)
  assert.deepEqual(answers.match(/"mode":"\w+"/g), ['"mode":"wait"', '"mode":"ok"'])
})

test('an invalid request is rejected after the answers of the requests before it', async () => {
  const { url } = await start()
  const isRunning = running()
  const socket = await dial(url)
  const answers = readAll(socket)
  const ok = 'GET /free HTTP/1.1\r\nhost: test\r\n\r\n'
  socket.write(`GET /free?mode=wait HTTP/1.1\r\nhost: test\r\n\r\n${ok}hello\r\n\r\n`)
  await isRunning
  socket.write('hello')
  await fetch(`${url}/free`)
  release()
  const reported = (await answers).match(/"mode":"\w+"|"code":"\w+"/g)
  assert.deepEqual(reported, ['"mode":"wait"', '"mode":"ok"', '"code":"invalid_request"'])
  // A client that asks to close is answered, whatever it sends afterwards (RFC 9112 section 9.6).
  assert.match(await talk(url, requestOf('GET /free HTTP/1.1') + ok), /^HTTP\/1\.1 200 [^{]*\{"mode":"ok"\}$/)
  // A broken body is rejected in place of its own answer.
  const broken = `POST /upload HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\nz`
  assert.match(await talk(url, ok + broken), /^HTTP\/1\.1 200 [^{]*\{"mode":"ok"\}HTTP\/1\.1 400 /)
})

test("the handler's signal aborts when its client disconnects", async () => {
  const { url } = await start()
  const isRunning = running()
  const socket = await dial(url)
  socket.write(requestOf('GET /free?mode=wait HTTP/1.1'))
  await isRunning
  const left = aborted()
  socket.destroy()
  // Not the time limit, which aborts the same signal.
  assert.match(String(await left), /the client disconnected/)
})

test('a streamed answer that fails is cut off, without the message of the failure', async () => {
  const { url } = await start()
  const text = await talk(url, requestOf('GET /free?mode=break HTTP/1.1'))
  assert.match(text, /data: 1/)
  // A complete chunked answer ends with a chunk of size 0 (RFC 9112 section 7.1).
  assert.doesNotMatch(text, /\r\n0\r\n/)
  assert.doesNotMatch(text, /words of an upstream/)
  assert.match(logged.join(''), /a streamed answer was cut/)
})

test('a trailer follows the body', async () => {
  const { url } = await start()
  const body = '{"text":"x"}'
  const headers = ['payment-signature: x', 'content-type: application/json', `content-length: ${body.length}`]
  const text = await talk(url, requestOf('POST /upload HTTP/1.1', headers) + body)
  assert.match(text, /\r\n0\r\npayment-response: settled\r\n\r\n$/i)
})

test('closing lets running calls finish and accepts no others', async () => {
  const listening = await start()
  const isRunning = running()
  const answer = fetch(`${listening.url}/free?mode=wait`)
  await isRunning
  const closed = listening.close()
  assert.equal(listening.close(), closed)
  await assert.rejects(fetch(`${listening.url}/free`))
  release()
  assert.deepEqual(await (await answer).json(), { mode: 'wait' })
  await closed
})

test('closing lets a slow reader receive the rest of its answer', async () => {
  const listening = await start()
  const socket = await dial(listening.url)
  socket.write('GET /free?mode=large HTTP/1.1\r\nhost: test\r\n\r\n')
  await once(socket, 'readable')
  const closed = listening.close()
  // The end of the idle connection shows that the service has begun to close.
  await assert.rejects(fetch(`${listening.url}/free`))
  assert.ok((await readAll(socket)).length > LARGE_BYTES)
  await closed
})

test('a request on a busy connection during the close is its last one', async () => {
  const listening = await start()
  const socket = await dial(listening.url)
  socket.write('GET /free?mode=large HTTP/1.1\r\nhost: test\r\n\r\n')
  await once(socket, 'readable')
  const closed = listening.close()
  await assert.rejects(fetch(`${listening.url}/free`))
  socket.write('GET /free HTTP/1.1\r\nhost: test\r\n\r\n')
  const [, last = ''] = (await readAll(socket)).slice(LARGE_BYTES).split('HTTP/1.1 200 ')
  assert.match(last, /connection: close[\s\S]*"mode":"ok"/i)
  await closed
})

test('an idle connection does not block the close', async () => {
  const listening = await start({ drainMs: 600_000 })
  const silent = await dial(listening.url)
  // Its answer shows that the service has seen the connection before.
  await fetch(`${listening.url}/free`)
  const ended = readAll(silent)
  await listening.close()
  assert.equal(await ended, '')
})

test('a call that does not end is cut when the drain timeout expires', async () => {
  const listening = await start({ drainMs: 50 })
  const isRunning = running()
  const answer = fetch(`${listening.url}/free?mode=wait`)
  const refused = assert.rejects(answer)
  await isRunning
  await listening.close()
  await refused
})

test('a port in use is an error', async () => {
  const { url } = await start()
  await assert.rejects(start({ port: Number(new URL(url).port) }), /EADDRINUSE/)
})
