import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../contract/exchange.ts'
import type { TollGate } from '../gate/gate-options.ts'
import { holdPayee } from './payees.ts'
import { SellerGate } from './seller-gate.ts'
import { checkOptions } from './seller-options.ts'

const ROUTE = { price: '0.01', description: 'A word.' } as const
const PAYEE = '0x5E416C1824Fe3D1e245328fe1D64fa76095164f9'

/** A gate that notes the exchanges that it gets. */
function openSeller(baseUrl?: string) {
  const exchanges: Exchange[] = []
  const serve = async (exchange: Exchange) => {
    exchanges.push(exchange)
    return { status: 402, headers: {}, body: 'pay' }
  }
  const seller = new SellerGate({
    gate: { serve } as unknown as TollGate,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    title: undefined,
    baseUrl,
    addressOf: () => 'unknown',
    newId: () => 'id',
    close: async () => {},
  })
  const ask = (url: string, method = 'GET') =>
    seller.open(ROUTE).serve({
      request: new Request(url, { method, headers: { 'payment-signature': 'x' } }),
      pattern: new URL(url).pathname,
      clientAddress: 'unknown',
      readContent: async () => ({ bytes: new Uint8Array() }),
      run: () => Promise.reject(new Error('not run')),
    })
  return { seller, exchanges, ask }
}

test('what is kept for hosts and paths that are invented has a bound', async () => {
  const { seller, exchanges, ask } = openSeller()
  for (let at = 0; at < 40; at += 1) await ask(`http://host-${at}.example/word`)
  assert.equal(new Set(exchanges.map(({ service }) => service)).size, 32)
  for (let at = 0; at < 1_100; at += 1) await ask(`http://host-1.example/word-${at}`)
  assert.equal([...seller.offers()].length, 1_000)
})

test('the address of a seller that has one is not that of the request', async () => {
  const { exchanges, ask } = openSeller('https://api.example')
  await ask('http://127.0.0.1:8080/word')
  assert.equal(exchanges[0]?.resourceUrl, 'https://api.example/word')
})

test('HEAD is a question for the price, without a body and without its payment', async () => {
  const { exchanges, ask } = openSeller()
  const { body } = await ask('http://a.example/word', 'HEAD')
  assert.equal(body, null)
  assert.equal(exchanges[0]?.request.headers.get('payment-signature'), null)
})

test('two stores of a process cannot sell for one payee', () => {
  const release = holdPayee('eip155:8453', PAYEE, 'sqlite:one.sqlite')
  const second = holdPayee('eip155:8453', PAYEE.toLowerCase(), 'sqlite:one.sqlite')
  assert.throws(
    () => holdPayee('eip155:8453', PAYEE, 'postgres://u:secret@db/x'),
    /sqlite:one\.sqlite.*another wallet/,
  )
  release()
  assert.throws(() => holdPayee('eip155:8453', PAYEE, 'sqlite:two.sqlite'), /another store/)
  second()
  holdPayee('eip155:8453', PAYEE, 'sqlite:two.sqlite')()
})

test('an option or a price that is wrong is refused with what to write', () => {
  const right = {
    payTo: PAYEE,
    network: 'base-sepolia',
    rpcUrl: 'https://rpc.example',
    facilitator: 'https://facilitator.example',
    store: 'sqlite:gate.sqlite',
  } as const
  assert.equal(checkOptions(right).chainId, 84_532)
  const refuse = (change: object, pattern: RegExp) =>
    assert.throws(() => checkOptions({ ...right, ...change }), pattern)
  refuse({ payTo: '0x12' }, /payTo: the address/)
  refuse({ rpcUrl: undefined }, /rpcUrl: .*startDevChain/)
  refuse({ facilitator: 'x' }, /facilitator: the URL/)
  refuse({ store: 'gate.sqlite' }, /store: 'sqlite:gate.sqlite'/)
  refuse({ baseUrl: 'https://api.example/v1' }, /baseUrl: scheme and host/)
  refuse({ network: 'bas' }, /network: bas is not known/)
  const { seller } = openSeller()
  const refusePrice = (price: unknown, pattern: RegExp) =>
    assert.throws(() => seller.open({ ...ROUTE, price: price as string }), pattern)
  refusePrice('$0.01', /write '0\.01' without the dollar sign/)
  refusePrice(0.01, /write dollars as text, '0\.01'/)
  refusePrice('0.0000001', /at most six decimals/)
  refusePrice('0', /a free route needs no gate/)
  refusePrice({ upTo: '0.01', min: '0.02' }, /more than upTo/)
  assert.throws(() => seller.open({ ...ROUTE, description: ' ' }), /description/)
})
