import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { runCommand, startCommand } from '@tollbook/testing/commands/running-command'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { descendantsOf, isRunning, partOf, until } from './process-tree.ts'
import { type Product, startProduct } from './product.ts'

/** Specification 4.4: `/api/calc` costs a tenth of a cent. */
const PRICE = 1_000n
const BUYERS = 3
const CALLS = 5

let product: Product
before(async () => {
  product = await startProduct()
})
after(() => product?.close())

type Bought = { readonly payment: string; readonly text: string; readonly transaction: string }

/** Null for what is not answered: the connection broke, or the answer is an error. */
async function ask(url: string, payment?: string): Promise<Response | null> {
  const headers = payment === undefined ? {} : { 'payment-signature': payment }
  return fetch(url, { headers }).catch(() => null)
}

/** Buys a result as a patient client does: one payment is sent until it is answered or refused for good. */
async function buy(key: Hex, expression: string): Promise<Bought> {
  const url = `${product.addresses.utility}/api/calc?expr=${encodeURIComponent(expression)}`
  for (;;) {
    const unpaid = await ask(url)
    const required = unpaid?.headers.get('payment-required')
    if (!required) {
      await wait(250)
      continue
    }
    const challenge = decodePaymentRequiredHeader(required) as unknown as PaymentRequired
    const payment = await signPayment(privateKeyToAccount(key), challenge, { scheme: 'exact' })
    for (;;) {
      const answer = await ask(url, payment)
      const receipt = answer?.headers.get('payment-response')
      if (answer?.status === 200 && receipt) {
        const text = await answer.text().catch(() => null)
        if (text !== null)
          return { payment, text, transaction: decodePaymentResponseHeader(receipt).transaction }
      }
      // Expired while nothing was sold: it was not charged, and another one is signed.
      if (answer?.status === 402) break
      await wait(250)
    }
  }
}

const rpc = () => createReadRpc({ url: product.addresses['dev chain'] ?? '' })
const call = (method: string, params: readonly unknown[]) =>
  rpc().call(method, params, AbortSignal.timeout(60_000))

async function readEarnings(): Promise<bigint> {
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [devPayTo.utility] })
  return BigInt(`${await call('eth_call', [{ to: BASE.usdc, data }, 'latest'])}`)
}

async function readGenesis(): Promise<unknown> {
  return ((await call('eth_getBlockByNumber', ['0x0', false])) as { hash: Hex }).hash
}

type Weeks = { readonly weeks: readonly { readonly week: string }[] }

async function readWeeks({ report } = product.addresses): Promise<readonly string[]> {
  const answer = await fetch(`${report}/weeks.json`)
  return ((await answer.json()) as Weeks).weeks.map(({ week }) => week)
}

async function answers(url = ''): Promise<boolean> {
  return (await ask(`${url}/healthz`))?.status === 200
}

test('whichever process is killed, every answered call is paid once, its answer is stored, and the chain goes on', async () => {
  const before = await readEarnings()
  const [genesis, weeks] = [await readGenesis(), await readWeeks()]
  const bought: Bought[] = []
  const buyers = Array.from({ length: BUYERS }, async (_, buyer) => {
    for (let at = 0; at < CALLS; at += 1)
      bought.push(await buy(DEV_CLIENT_KEYS[buyer] ?? '0x', `${1_000 * (buyer + 1) + at}^2`))
  })
  for (const [at, name] of (['sellers', 'chain'] as const).entries()) {
    // Each time some calls have been answered and others are under way.
    await until(() => bought.length > 3 * at, 'calls are sold')
    const victim = partOf(product.pid, name)
    assert.ok(victim, name)
    process.kill(victim.pid, 'SIGKILL')
    await until(() => {
      const next = partOf(product.pid, name)
      return next !== undefined && next.pid !== victim.pid
    }, `the ${name} start again`)
  }
  await Promise.all(buyers)
  await until(
    async () => (await answers(product.addresses.report)) && (await answers(product.addresses.facilitator)),
    'all serve again',
  )

  assert.equal((await readEarnings()) - before, PRICE * BigInt(BUYERS * CALLS))
  assert.equal(
    new Set(bought.map(({ transaction, payment }) => `${transaction} ${payment}`)).size,
    bought.length,
  )
  for (const { payment, text, transaction } of bought) {
    const receipt = (await call('eth_getTransactionReceipt', [transaction])) as { status: Hex } | null
    assert.equal(receipt?.status, '0x1')
    const { expression } = JSON.parse(text) as { expression: string }
    const again = await ask(
      `${product.addresses.utility}/api/calc?expr=${encodeURIComponent(expression)}`,
      payment,
    )
    assert.equal(await again?.text(), text)
  }
  assert.equal(await readGenesis(), genesis)
  assert.deepEqual(await readWeeks(), weeks)
  const reportUrl = `${product.addresses.report}/merchants/base/${devPayTo.utility}.json`
  await until(async () => {
    const answer = await ask(reportUrl)
    return answer?.status === 200 && ((await answer.json()) as { tx: number }).tx === BUYERS * CALLS
  }, 'all calls are in the report')
})

test('a second start on the same data folder names the process that has it, and one on used ports the setting', async () => {
  const second = await runCommand(['start'], product.environment)
  assert.equal(second.code, 70)
  assert.match(
    second.stderr,
    new RegExp(
      `^tollbook: Tollbook already runs here \\(pid ${product.pid}\\): stop it, or set another TOLLBOOK_DATA_DIR`,
    ),
  )
  const port = new URL(product.addresses.utility ?? '').port
  const other = {
    ...product.environment,
    TOLLBOOK_DATA_DIR: `${product.environment.TOLLBOOK_DATA_DIR}/other`,
    TOLLBOOK_UTILITY_PORT: port,
  }
  const taken = await runCommand(['start'], other)
  assert.equal(taken.code, 70)
  assert.match(
    taken.stderr,
    new RegExp(`port ${port} is in use: stop the process that uses it, or set another TOLLBOOK_UTILITY_PORT`),
  )
})

test('a killed parent leaves no process behind, and the next start continues the chain and its weeks', async () => {
  const [genesis, weeks, earnings] = [await readGenesis(), await readWeeks(), await readEarnings()]
  const all = descendantsOf(product.pid)
  assert.ok(all.length >= 4, `${all.length} processes`)
  process.kill(product.pid, 'SIGKILL')
  await until(() => all.every(({ pid }) => !isRunning(pid)), 'all processes end')
  const next = await startCommand(['start'], product.environment)
  try {
    assert.deepEqual(
      [await readGenesis(), await readWeeks(next.addresses), await readEarnings()],
      [genesis, weeks, earnings],
    )
  } finally {
    assert.equal(await next.close(), 0)
  }
})
