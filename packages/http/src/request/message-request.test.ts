import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { MessageRequest } from './message-request.ts'

type Met = { readonly request: MessageRequest | null; readonly outgoing: ServerResponse }

/** Serves one request, sent as raw bytes, to a function. */
async function meet(lines: readonly string[], look: (met: Met, leave: () => void) => void | Promise<void>) {
  const server = createServer()
  const served = new Promise<void>((resolve, reject) => {
    server.on('clientError', reject).on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      Promise.resolve(
        look({ request: MessageRequest.read(incoming, outgoing), outgoing }, () => socket.destroy()),
      )
        .finally(() => outgoing.end())
        .then(resolve, reject)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  try {
    await served
  } finally {
    socket.destroy()
    server.close()
  }
}

test('a plain request is read as the adapter would read it', async () => {
  const lines = [
    'GET /tweets/by/id?id=20&x=%20+ HTTP/1.1',
    'Host: api.example:4021',
    'X-Twice: a',
    'x-twice: b',
  ]
  await meet(lines, ({ request }) => {
    assert.equal(request?.method, 'GET')
    assert.equal(request?.path, '/tweets/by/id')
    assert.equal(request?.url, 'http://api.example:4021/tweets/by/id?id=20&x=%20+')
    // Fields of the same name are one list (RFC 9110 section 5.3).
    assert.equal(request?.headers.get('X-Twice'), 'a, b')
    assert.equal(request?.headers.get('absent'), null)
    assert.equal(request?.headers.has('constructor'), false)
  })
})

test('a target that a URL parser would change is left to the adapter', async () => {
  const targets = ['/a"b', '/a\\b', '/a?b=c|d', '/a#b', 'http://api.example/a']
  for (const target of targets) {
    await meet([`GET ${target} HTTP/1.1`, 'Host: api.example'], ({ request }) => {
      assert.equal(request, null, target)
    })
  }
  // A name that ends in a number must be an IPv4 address (WHATWG URL, section 3.5).
  const noHosts = ['a.1', '256.0.0.1', 'a.example:65536']
  for (const host of ['API.example', '[::1]:80', 'a@b', 'a.example:99999999', '', ...noHosts]) {
    await meet(['GET /a HTTP/1.1', `Host: ${host}`], ({ request }) => assert.equal(request, null, host))
  }
})

test('the signal is aborted exactly when the client disconnects, even if first read later', async () => {
  const lines = ['GET /a HTTP/1.1', 'Host: api.example']
  await meet(lines, async ({ request, outgoing }, leave) => {
    assert.equal(request?.signal.aborted, false)
    leave()
    await once(outgoing, 'close')
    assert.equal(request?.signal.aborted, true)
  })
  await meet(lines, async ({ request, outgoing }, leave) => {
    leave()
    await once(outgoing, 'close')
    assert.equal(request?.signal.aborted, true)
  })
  await meet(lines, async ({ request, outgoing }) => {
    const signal = request?.signal
    outgoing.end('whole')
    await once(outgoing, 'close')
    assert.equal(signal?.aborted, false)
  })
})
