import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openState } from '@tollbook/cli/commands/state/open'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { receiptOf } from '@tollbook/testing/paying/shop'
import { NEVER, toAccess } from '@tollbook/testing/payments/settlement-stage'
import { type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { countPending } from '../attacks/block-race.ts'

const CALC = '/api/calc?expr=2%2B3'
const OTHER = '/api/calc?expr=2%2B4'
/** Micro-USDC. */
const PRICE = 1_000n
const HOLDING = 100_000n

const newWallet = () => privateKeyToAccount(generatePrivateKey())
const payee = newWallet().address

let chain: DevChain
let folder: string
let environment: NodeJS.ProcessEnv
let product: RunningCommand

// The whole product, on a chain that goes on without it.
before(async () => {
  chain = await startDevChain({ port: 0, genesisSeconds: Math.floor(Date.now() / 1000), clock: 'stopped' })
  folder = mkdtempSync(join(tmpdir(), 'tollbook-lost-state-'))
  const key = generatePrivateKey()
  const facilitator = privateKeyToAccount(key).address
  await chain.fundGas(facilitator)
  const facilitators = join(folder, 'facilitators.json')
  writeFileSync(facilitators, JSON.stringify({ name: 'test', add: [{ address: facilitator }], remove: [] }))
  environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: join(folder, 'data'),
    TOLLBOOK_CHAIN_RPC_URL: chain.rpcUrl,
    TOLLBOOK_FACILITATOR_KEY: key,
    TOLLBOOK_FACILITATORS_FILE: facilitators,
    TOLLBOOK_ETH_USD: '0',
    TOLLBOOK_UTILITY_PAY_TO: payee,
    TOLLBOOK_SOCIAL_PAY_TO: newWallet().address,
    TOLLBOOK_INFERENCE_PAY_TO: newWallet().address,
    TOLLBOOK_UTILITY_PORT: String(await findFreePort()),
    TOLLBOOK_REPORT_PORT: String(await findFreePort()),
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_LOCAL_SERVERS: 'ignore',
    TOLLBOOK_PUBLISH_SECONDS: '1',
    TOLLBOOK_LOG_LEVEL: 'error',
  }
  product = await startCommand(['start'], environment)
})
after(async () => {
  await product?.close()
  await chain?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('after the state folder is lost, no payment is charged twice or answered to others, and the books are rebuilt', async () => {
  const [served, mined, waiting] = [newWallet(), newWallet(), newWallet()]
  const payers = [served, mined, waiting]
  for (const { address } of payers) await chain.fundUsdc(address, HOLDING)
  const [first, second, third] = await Promise.all(payers.map(sign))
  const answered = await ask(CALC, first)
  assert.equal(answered.status, 200)
  const transactions = [receiptOf(answered)?.transaction]
  assert.deepEqual(await untilBooked(1), transactions)

  // A call is being settled when everything stops and the folder goes; the chain settles it later.
  await loseDuring(second)
  await setMining(true)
  await chain.mine()
  product = await startCommand(['start'], environment)

  // The same again, but the call is repeated before its transaction is mined: it runs again, and is charged once.
  await loseDuring(third)
  product = await startCommand(['start'], environment)
  const repeated = ask(CALC, third)
  await untilSettling()
  await setMining(true)
  await chain.mine()
  assert.equal((await repeated).status, 200)
  transactions.push(receiptOf(await repeated)?.transaction)

  for (const [payer, payment] of [
    [served, first],
    [mined, second],
  ] as const) {
    for (const path of [CALC, OTHER])
      assert.deepEqual(await codeOf(ask(path, payment)), 'payer_proof_required')
    const stranger = await prove(newWallet(), payment)
    assert.equal(await codeOf(ask(CALC, payment, stranger)), 'payer_proof_required')
    // Whether the lost state had answered it is not on the chain: its payer gets one answer.
    const proved = await ask(CALC, payment, await prove(payer, payment))
    assert.equal(proved.status, 200)
    transactions.push(receiptOf(proved)?.transaction)
    assert.equal(await codeOf(ask(OTHER, payment)), 'payer_proof_required')
  }
  for (const payer of payers) assert.equal(await balanceOf(payer), HOLDING - PRICE)
  assert.equal(await balanceOf({ address: payee }), 3n * PRICE)
  const booked = await untilBooked(3)
  assert.deepEqual(new Set(booked), new Set(transactions))
})

const setMining = (isOn: boolean) => chain.rpc.call('evm_setAutomine', [isOn])

/** Sends a payment, and ends the product as a power failure would while the transaction waits for a block. */
async function loseDuring(payment: string | undefined): Promise<void> {
  await setMining(false)
  const cut = ask(CALC, payment).catch(() => null)
  while ((await countPending(chain)) === 0) await wait(5)
  await product.kill()
  assert.equal(await cut, null)
  rmSync(join(folder, 'data'), { recursive: true })
}

/** Waits until the only call of the new state was answered by its handler. */
async function untilSettling(): Promise<void> {
  const state = await openState(`sqlite:${join(folder, 'data/state.sqlite')}`)
  const isSettling = async () =>
    (await state.db.selectFrom('paid_call').select('tx_hash').execute()).some(
      ({ tx_hash }) => tx_hash !== null,
    )
  while (!(await isSettling())) await wait(20)
  await state.close()
}

function ask(path: string, payment = '', headers: Record<string, string> = {}): Promise<Response> {
  const paid = payment === '' ? {} : { 'payment-signature': payment }
  return fetch(`${product.addresses.utility}${path}`, { headers: { ...headers, ...paid } })
}

async function offer(): Promise<PaymentRequired> {
  const { headers } = await ask(CALC)
  return decodePaymentRequiredHeader(headers.get('payment-required') ?? '') as unknown as PaymentRequired
}

const sign = async (payer: Payer) => signPayment(payer, await offer())

/** Answers the challenge of a 403 with a signature. */
async function prove(payer: Payer, payment: string | undefined): Promise<Record<string, string>> {
  const refused = await ask(CALC, payment)
  const { extensions } = (await refused.json()) as {
    extensions: { 'sign-in-with-x': { info: Parameters<typeof createSIWxPayload>[0] } }
  }
  const info = { ...extensions['sign-in-with-x'].info, chainId: 'eip155:8453', type: 'eip191' } as const
  const { resource } = await offer()
  return { 'sign-in-with-x': encodeSIWxHeader(await createSIWxPayload(info, payer, resource.url)) }
}

const codeOf = async (response: Promise<Response>) =>
  ((await (await response).json()) as { code: string }).code

const balanceOf = ({ address }: Pick<Payer, 'address'>) =>
  createChainReader(toAccess(chain.rpcUrl)).balanceOf(address, NEVER)

/** Waits until the report of the payee has this many payments. @returns their transactions */
async function untilBooked(payments: number): Promise<readonly (string | undefined)[]> {
  const merchant = `${product.addresses.report}/merchants/base/${payee.toLowerCase()}`
  for (;;) {
    // A window ends before the newest block.
    await chain.mine()
    const response = await fetch(`${merchant}.json`)
    const report = (await response.json()) as { tx?: number }
    if (report.tx === payments) break
    await wait(500)
  }
  const [, ...lines] = (await (await fetch(`${merchant}/payments.csv`)).text()).trim().split('\r\n')
  return lines.map((line) => line.split(',')[3])
}
