import assert from 'node:assert/strict'
import { bytes, json } from '@tollbook/endpoints/answer'
import { codeOf, createWorld, inWorld, receiptOf } from '@tollbook/testing/payments/gate-world'
import { onEveryState } from '@tollbook/testing/state/every-state'

onEveryState('a paid call is answered, settled once and has a receipt', async (state) => {
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
  'sixteen concurrent copies of one payment run the handler once and are charged once',
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

inWorld('a payment made for another request is rejected', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  assert.equal((await fetch('/api/say?word=hi', payment)).status, 200)
  for (const path of ['/api/say?word=ho', '/api/wallet?word=hi', '/api/quick?word=hi']) {
    const response = await fetch(path, payment)
    assert.ok([402, 403].includes(response.status), path)
    assert.ok(['payer_proof_required', 'payment_invalid'].includes(await codeOf(response)))
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

inWorld('an upto payment settles the metered amount, within its limits, and buys once', async (world) => {
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
    for (let count = 0; count < 3; count += 1) {
      const response = await fetch(path, payment)
      assert.equal(response.status, 200)
      assert.equal(receiptOf(response)?.amount, `${charged}`)
    }
    assert.equal(world.chain.transfers.at(-1)?.amount, charged)
    assert.equal(desk.runs, before + 1)
  }
  assert.equal(world.chain.transfers.length, 3)
})

inWorld('a metered endpoint paid with exact costs its listing price', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  desk.work = () => json({ word: 'hi' }, { charge: 1_234n })
  const response = await fetch('/api/metered?word=hi', await pay('/api/metered?word=hi', world.newPayer()))
  assert.equal(receiptOf(response)?.amount, '50000')
})

inWorld('a settlement override sent by the client has no effect', async (world) => {
  const { fetch, pay } = await world.startProcess()
  const { headers } = await pay('/api/metered?word=hi', world.newPayer(), { scheme: 'upto' })
  const response = await fetch('/api/metered?word=hi', {
    headers: { ...headers, 'settlement-overrides': '{"amount":"0"}' },
  })
  assert.equal(receiptOf(response)?.amount, '1000')
})

inWorld('a large answer is stored as a file and repeated byte for byte', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const body = new Uint8Array(3_000_000).map((_, at) => at % 251)
  desk.work = () => bytes(body, 'image/png')
  const payment = await pay('/api/say?word=hi', world.newPayer())
  for (let count = 0; count < 2; count += 1) {
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
