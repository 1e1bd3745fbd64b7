import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { encodePaymentRequiredHeader } from '@x402/core/http'

const main = new URL('../main.ts', import.meta.url).pathname

type Ended = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

function run(words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...words], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

const PAY_TO = `0x${'11'.repeat(20)}`

/** Calls a service that answers a payment in its own way, and counts from 0 how often it was asked for. */
async function callService(
  description: string,
  answer: (outgoing: ServerResponse, asked: number) => void,
  ...words: string[]
): Promise<Ended> {
  const header = encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'http://127.0.0.1/', description, mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: BASE.id,
        asset: BASE.usdc,
        amount: '50000',
        payTo: PAY_TO,
        maxTimeoutSeconds: 60,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  })
  const payments: unknown[] = []
  const server = createServer((incoming, outgoing) => {
    const payment = incoming.headers['payment-signature']
    if (payment === undefined) return void outgoing.writeHead(402, { 'payment-required': header }).end('{}')
    answer(outgoing, payments.push(payment) - 1)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    return await run(['call', `http://127.0.0.1:${port}/`, '--yes', ...words])
  } finally {
    server.closeAllConnections()
    server.close()
    assert.equal(new Set(payments).size, 1)
  }
}

/** An answer that ends before its declared length. */
function breakOff(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'text/plain', 'content-length': '10' })
  outgoing.write('half', () => outgoing.destroy())
}

test('an answer that breaks off is requested again with the same payment', async () => {
  const { code, stdout, stderr } = await callService('', (outgoing, asked) =>
    asked < 2 ? breakOff(outgoing) : outgoing.end('whole'),
  )
  assert.deepEqual([code, stdout], [0, 'whole'])
  assert.match(stderr, /\n200 no receipt: not charged, unless the service still settles the payment\n$/)
})

test('a call that fails after it was signed says that it may be charged', async () => {
  const { code, stdout, stderr } = await callService('', breakOff)
  assert.deepEqual([code, stdout], [70, ''])
  assert.match(
    stderr,
    /\nthe payment was signed and may be charged; the same command pays again\ntollbook: the request failed: .*\n$/,
  )
})

test('a hostile service cannot overwrite its price on the terminal', async () => {
  // Moves the cursor up a line, deletes it, and prints another price.
  const description = 'Weather\x1b[1A\x1b[2K\u202e\nprice: $0.0001'
  const { code, stdout, stderr } = await callService(
    description,
    (outgoing) => void outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"broken":'),
    '--json',
  )
  assert.equal(stderr, `Weather [1A [2K price: $0.0001\nprice: $0.05 to ${PAY_TO}\n`)
  const expected = { status: 200, paid_usd: null, transaction: null, body: '{"broken":' }
  assert.deepEqual(JSON.parse(stdout), expected)
  assert.equal(code, 0)
})

test('a usage error is two lines: what is wrong, and where the help is', async () => {
  const wrong = {
    'call needs exactly one URL': ['call'],
    'not a URL: nowhere': ['call', 'nowhere'],
  }
  for (const [message, words] of Object.entries(wrong))
    assert.deepEqual(await run(words), {
      code: 2,
      stdout: '',
      stderr: `${message}\nsee tollbook call --help\n`,
    })
  const { stderr } = await run(['call', '--unheard-of', 'https://example.com/'])
  assert.match(stderr, /^Unknown option '--unheard-of'[^\n]*\nsee tollbook call --help\n$/)
})

test('nothing is asked or paid for an answer that cannot be written', async () => {
  for (const [file, reason] of [
    ['/absent/answer', /--output \/absent\/answer cannot be written \(ENOENT\)/],
    ['/', /--output \/ is a folder/],
  ] as const) {
    // Nothing listens there.
    const { code, stderr } = await run(['call', 'http://127.0.0.1:1/', '--output', file])
    assert.equal(code, 2)
    assert.match(stderr, reason)
  }
})
