import assert from 'node:assert/strict'
import { onEveryState } from '../../../test/every-state.ts'
import { codeOf, createWorld, inWorld, receiptOf } from '../../../test/payments/gate-world.ts'
import { bytes, json } from '../../catalogue/answer.ts'
import { ProblemError } from '../../catalogue/problem.ts'

onEveryState('a paid call is answered, settled once and receipted', async (state) => {
  const world = createWorld(state)
  const process = await world.startProcess()
  const payer = world.newPayer()
  const response = await process.fetch('/api/say?word=hi', await process.pay('/api/say?word=hi', payer))
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), { word: 'hi', payer: payer.address.toLowerCase() })
  const receipt = receiptOf(response)
  assert.equal(receipt?.success, true)
  assert.equal(receipt?.amount, '10000')
  assert.equal(receipt?.transaction, world.chain.transfers[0]?.transaction)
  assert.equal(world.chain.balanceOf(payer.address), 990_000n)
  const stored = await process.gate.findReceipt(String(receipt?.extra?.receipt))
  assert.equal(stored?.state, 'settled')
  assert.equal(stored?.amount, '10000')
  assert.equal(stored?.transaction, receipt?.transaction)
  await process.gate.close()
  world.close()
})

onEveryState(
  'sixteen copies of one payment at once run the handler once and are charged once',
  async (state) => {
    const world = createWorld(state)
    const processes = [await world.startProcess(), await world.startProcess()]
    const [first] = processes
    assert.ok(first)
    const payment = await first.pay('/api/say?word=hi', world.newPayer())
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, at) => processes[at % 2]?.fetch('/api/say?word=hi', payment)),
    )
    const statuses = responses.map((response) => response?.status)
    assert.equal(
      processes.reduce((runs, { desk }) => runs + desk.runs, 0),
      1,
    )
    assert.equal(world.chain.transfers.length, 1)
    assert.ok(statuses.includes(200))
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 409),
      [],
    )
    const late = await first.fetch('/api/say?word=hi', payment)
    assert.equal(late.status, 200)
    assert.equal(receiptOf(late)?.transaction, world.chain.transfers[0]?.transaction)
    world.close()
  },
)

inWorld('an unpaid request gets the terms, as header and as JSON', async (world) => {
  const { fetch, challenge, desk } = await world.startProcess()
  const response = await fetch('/api/say?word=hi')
  assert.equal(response.status, 402)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const body = (await response.json()) as Record<string, unknown>
  const terms = await challenge('/api/say')
  assert.equal(body.code, 'payment_required')
  assert.deepEqual(body.accepts, terms.accepts)
  assert.equal(terms.accepts[0]?.amount, '10000')
  assert.equal(body.faults, undefined)
  assert.equal(desk.runs, 0)
})

inWorld('an unpaid request whose arguments cannot be served is told so in its 402', async (world) => {
  const { fetch } = await world.startProcess()
  const response = await fetch('/api/say?wrod=hi')
  assert.equal(response.status, 402)
  const body = (await response.json()) as { faults: readonly { parameter: string }[]; refused_as: string }
  assert.ok(body.faults.some((fault) => fault.parameter === 'wrod'))
  assert.ok(response.headers.get('payment-required'))
})

inWorld('a payment with arguments that cannot be served is refused before it is verified', async (world) => {
  const { fetch, pay, link, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const response = await fetch(`/api/say?word=${'x'.repeat(21)}`, payment)
  assert.equal(response.status, 400)
  assert.equal(link.verifications, 0)
  assert.equal(desk.runs, 0)
})

inWorld('what cannot be sold is never challenged', async (world) => {
  const { fetch, desk, link, gate } = await world.startProcess()
  desk.availability.isAvailable = false
  assert.equal((await fetch('/api/say?word=hi')).status, 503)
  desk.availability.isAvailable = true
  link.isHealthy = false
  await gate.start()
  assert.equal((await fetch('/api/say?word=hi')).status, 503)
  assert.equal(gate.health().isHealthy, false)
  await gate.close()
})

inWorld('a full disk is said before any payment', async (world) => {
  const { fetch, gate } = await world.startProcess({ freeBytes: Number.MAX_SAFE_INTEGER })
  await gate.start()
  const response = await fetch('/api/say?word=hi')
  assert.equal(response.status, 503)
  assert.equal(await codeOf(response), 'unavailable')
  await gate.close()
})

inWorld('unpaid requests of one address are bounded', async (world) => {
  const { fetch } = await world.startProcess({}, 3)
  const statuses: number[] = []
  for (let asked = 0; asked < 5; asked += 1) statuses.push((await fetch('/api/say?word=hi')).status)
  assert.deepEqual(statuses, [402, 402, 402, 429, 429])
})

inWorld('HEAD with a payment is challenged, and no handler runs', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  assert.equal((await fetch('/api/say?word=hi', { ...payment, method: 'HEAD' })).status, 402)
  assert.equal(desk.runs, 0)
})

const REFUSED: readonly [string, string, number, Parameters<typeof signs>[0]][] = [
  ['an authorization that has ended', 'payment_expired', 402, (now) => ({ validBefore: now - 1 })],
  ['one that is about to end', 'payment_expired', 402, (now) => ({ validBefore: now + 3 })],
  ['one that has not begun', 'payment_expired', 402, (now) => ({ validAfter: now + 600 })],
  ['one that lives for a year', 'payment_expired', 402, (now) => ({ validBefore: now + 31_536_000 })],
  [
    'a payment for another resource',
    'payment_invalid',
    402,
    () => ({ tamper: (payload) => ({ ...payload, resource: { url: 'https://gate.example/api/wallet' } }) }),
  ],
  [
    'a payment that was changed after signing',
    'payment_invalid',
    402,
    () => ({
      tamper: (payload) => JSON.parse(JSON.stringify(payload).replace(/"nonce":"0x../, '"nonce":"0x00')),
    }),
  ],
  [
    'terms that were not offered',
    'payment_invalid',
    402,
    () => ({ tamper: (payload) => JSON.parse(JSON.stringify(payload).replaceAll('"10000"', '"1"')) }),
  ],
  [
    'x402 version 1',
    'payment_malformed',
    400,
    () => ({ tamper: (payload) => ({ ...payload, x402Version: 1 }) }),
  ],
]
function signs(options: (now: number) => import('../../../test/payments/sign-payment.ts').SignOptions) {
  return options
}

for (const [what, code, status, options] of REFUSED) {
  inWorld(`${what} is refused before the ledger is touched`, async (world) => {
    const { fetch, pay, link, desk } = await world.startProcess()
    const signed = options(Math.floor(world.now() / 1000))
    const payer = world.newPayer()
    const response = await fetch('/api/say?word=hi', await pay('/api/say?word=hi', payer, signed))
    assert.equal(response.status, status)
    assert.equal(await codeOf(response), code)
    if (status === 402) assert.ok(response.headers.get('payment-required'))
    assert.equal(link.verifications, 0)
    assert.equal(desk.runs, 0)
    const { count } = await world.state.db
      .selectFrom('paid_call')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('payer', '=', payer.address.toLowerCase())
      .executeTakeFirstOrThrow()
    assert.equal(count, 0)
  })
}

inWorld('headers that are no payment are 400', async (world) => {
  const { fetch } = await world.startProcess()
  for (const header of ['', '%%%', 'bnVsbA==', 'W10=', 'e30=', 'x'.repeat(20_000)]) {
    const response = await fetch('/api/say?word=hi', { headers: { 'payment-signature': header } })
    assert.equal(response.status, 400, header.slice(0, 10))
    assert.equal(await codeOf(response), 'payment_malformed')
  }
})

inWorld('a wallet that cannot pay is refused, and may pay with the same payment later', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payer = world.newPayer(9_999n)
  const payment = await pay('/api/say?word=hi', payer)
  const refused = await fetch('/api/say?word=hi', payment)
  assert.equal(refused.status, 402)
  assert.equal(await codeOf(refused), 'payment_insufficient')
  assert.equal(desk.runs, 0)
  world.chain.fund(payer.address, 10_000n)
  assert.equal((await fetch('/api/say?word=hi', payment)).status, 200)
  assert.equal(world.chain.balanceOf(payer.address), 0n)
})

inWorld('a missing Permit2 allowance is a 402 that says so', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payer = world.newPayer()
  world.chain.noAllowance.add(payer.address.toLowerCase())
  const payment = await pay('/api/metered?word=hi', payer, { scheme: 'upto' })
  const response = await fetch('/api/metered?word=hi', payment)
  assert.equal(response.status, 402)
  assert.equal(await codeOf(response), 'allowance_required')
  assert.equal(desk.runs, 0)
})

inWorld('a refusal of the handler is not charged, and its payment may be used again', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const { work } = desk
  desk.work = () => {
    throw new ProblemError({ code: 'cannot_be_served', detail: 'No such word.' })
  }
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const refused = await fetch('/api/say?word=hi', payment)
  assert.equal(refused.status, 422)
  assert.equal(refused.headers.get('payment-response'), null)
  assert.equal(world.chain.transfers.length, 0)
  desk.work = work
  assert.equal((await fetch('/api/say?word=ho', payment)).status, 200)
  assert.equal(world.chain.transfers.length, 1)
})

inWorld(
  'a handler that breaks is a 500 that tells nothing, and is tried three times at most',
  async (world) => {
    const { fetch, pay, desk, log } = await world.startProcess()
    desk.work = () => {
      throw new Error('secret of the handler')
    }
    const payment = await pay('/api/say?word=hi', world.newPayer())
    const statuses: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const response = await fetch('/api/say?word=hi', payment)
      statuses.push(response.status)
      assert.ok(!(await response.text()).includes('secret'))
    }
    assert.deepEqual(statuses, [500, 500, 500, 409, 409])
    assert.equal(desk.runs, 3)
    assert.equal(world.chain.transfers.length, 0)
    assert.ok(log.some((line) => line.includes('a paid handler failed')))
  },
)

inWorld('a handler that takes too long is an uncharged 504', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  desk.work = () => new Promise(() => {})
  const response = await fetch('/api/quick?word=hi', await pay('/api/quick?word=hi', world.newPayer()))
  assert.equal(response.status, 504)
  assert.equal(world.chain.transfers.length, 0)
})

inWorld('a client that leaves while the handler runs stops it and is not charged', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const leave = new AbortController()
  let wasStopped = false
  desk.work = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        wasStopped = true
        reject(signal.reason)
      })
      leave.abort()
    })
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const response = await fetch('/api/say?word=hi', { ...payment, signal: leave.signal })
  assert.equal(response.status, 499)
  assert.equal(wasStopped, true)
  assert.equal(world.chain.transfers.length, 0)
})

inWorld('who has left when the answer is ready is charged only when it comes back for it', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const leave = new AbortController()
  const path = '/api/say?word=hi'
  const payment = await pay(path, world.newPayer())
  // The answer is whole before the abort is seen: reading its body runs when the gate writes it down.
  const toJSON = () => {
    leave.abort()
    return { word: 'hi' }
  }
  desk.work = () => json({ word: 'hi', toJSON })
  assert.equal((await fetch(path, { ...payment, signal: leave.signal })).status, 499)
  assert.equal(world.chain.transfers.length, 0)
  const again = await fetch(path, payment)
  assert.deepEqual(await again.json(), { word: 'hi' })
  assert.equal(desk.runs, 1)
  assert.equal(world.chain.transfers.length, 1)
})

inWorld('a payment of another request is refused', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  assert.equal((await fetch('/api/say?word=hi', payment)).status, 200)
  for (const path of ['/api/say?word=ho', '/api/wallet?word=hi', '/api/quick?word=hi']) {
    const response = await fetch(path, payment)
    assert.ok([402, 409].includes(response.status), path)
    assert.ok(['payment_reused', 'payment_invalid'].includes(await codeOf(response)))
  }
  assert.equal(desk.runs, 1)
})

inWorld('the same arguments in another order, or as POST, are the same request', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  assert.equal((await fetch('/api/say?word=hi&other=x', payment)).status, 200)
  assert.equal((await fetch('/api/say?other=x&word=hi', payment)).status, 200)
  const posted = await fetch('/api/say', {
    method: 'POST',
    headers: { ...payment.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ other: 'x', word: 'hi' }),
  })
  assert.equal(posted.status, 200)
  assert.equal(desk.runs, 1)
})

inWorld('an upto payment settles what was metered, within its bounds, and buys once', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const path = '/api/metered?word=hi'
  // 0.001 USD is the minimum and 0.05 USD the maximum of the endpoint.
  for (const [metered, charged] of [
    [0n, 1_000n],
    [7_777n, 7_777n],
    [90_000n, 50_000n],
  ] as const) {
    desk.work = () => json({ word: 'hi' }, { charge: metered })
    const payment = await pay(path, world.newPayer(), { scheme: 'upto' })
    const before = desk.runs
    for (let asked = 0; asked < 3; asked += 1) {
      const response = await fetch(path, payment)
      assert.equal(response.status, 200)
      assert.equal(receiptOf(response)?.amount, `${charged}`)
    }
    assert.equal(world.chain.transfers.at(-1)?.amount, charged)
    assert.equal(desk.runs, before + 1)
  }
  assert.equal(world.chain.transfers.length, 3)
})

inWorld('a metered endpoint paid by exact costs its listing price', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  desk.work = () => json({ word: 'hi' }, { charge: 1_234n })
  const response = await fetch('/api/metered?word=hi', await pay('/api/metered?word=hi', world.newPayer()))
  assert.equal(receiptOf(response)?.amount, '50000')
})

inWorld('a settlement override sent by the client changes nothing', async (world) => {
  const { fetch, pay } = await world.startProcess()
  const { headers } = await pay('/api/metered?word=hi', world.newPayer(), { scheme: 'upto' })
  const response = await fetch('/api/metered?word=hi', {
    headers: { ...headers, 'settlement-overrides': '{"amount":"0"}' },
  })
  assert.equal(receiptOf(response)?.amount, '1000')
})

inWorld('a large answer is kept as a file and given again byte for byte', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const body = new Uint8Array(3_000_000).map((_, at) => at % 251)
  desk.work = () => bytes(body, 'image/png')
  const payment = await pay('/api/say?word=hi', world.newPayer())
  for (let asked = 0; asked < 2; asked += 1) {
    const response = await fetch('/api/say?word=hi', payment)
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), body)
  }
  assert.equal(desk.runs, 1)
})

inWorld('neither payments nor signatures reach the log', async (world) => {
  const { fetch, pay, log, link } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  link.answers = 'lost'
  await fetch('/api/say?word=hi', payment)
  await fetch('/api/say?word=hi', payment)
  const signature = JSON.parse(Buffer.from(payment.headers['payment-signature'] ?? '', 'base64').toString())
    .payload.signature
  assert.ok(log.length > 0)
  assert.ok(
    !log.some(
      (line) => line.includes(signature) || line.includes(payment.headers['payment-signature'] ?? '-'),
    ),
  )
})
