import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { BASE } from '../money/base.ts'

const main = new URL('../main.ts', import.meta.url).pathname

type Ended = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

function run(words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...words], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('a hostile service cannot overwrite its price on the terminal', async () => {
  const payTo = `0x${'11'.repeat(20)}`
  // Moves the cursor up a line, deletes it, and prints another price.
  const description = 'Weather\x1b[1A\x1b[2K\u202e\nprice: $0.0001'
  const header = encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'http://127.0.0.1/', description, mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: BASE.network,
        asset: BASE.usdc,
        amount: '50000',
        payTo,
        maxTimeoutSeconds: 60,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  })
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers['payment-signature'] === undefined)
      return void outgoing.writeHead(402, { 'payment-required': header }).end('{}')
    return void outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"broken":')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { code, stdout, stderr } = await run(['call', `http://127.0.0.1:${port}/`, '--yes', '--json'])
    assert.equal(
      stderr,
      `Weather\\u{1b}[1A\\u{1b}[2K\\u{202e}\\u{a}price: $0.0001\nprice: $0.05 to ${payTo}\n`,
    )
    assert.deepEqual(JSON.parse(stdout), {
      status: 200,
      paid_usd: null,
      transaction: null,
      body: '{"broken":',
    })
    assert.equal(code, 0)
  } finally {
    server.close()
  }
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
