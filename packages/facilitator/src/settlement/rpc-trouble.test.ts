import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { devKey, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { Unreachable } from '@tollbook/flow/failure'
import type { Settlement } from '@tollbook/gate/facilitator'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { exactTerms, payTerms } from '@tollbook/testing/payments/offered-payment'
import { type RpcProxy, startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
  toAccess,
  toSender,
} from '@tollbook/testing/payments/settlement-stage'
import { privateKeyToAccount } from 'viem/accounts'

const terms = exactTerms('2237')
let stage: SettlementStage
let proxy: RpcProxy
before(async () => {
  stage = await openSettlementStage()
  proxy = await startRpcProxy(stage.chain.rpcUrl)
})
after(async () => {
  await stage.close()
  await proxy.close()
})

/** A facilitator with a wallet of its own behind the proxy, with short timeouts for a test. */
async function openImpatient(name: string) {
  proxy.setFate(() => 'forward')
  const chain = { ...toAccess(proxy.url), timeoutMs: 1_200 }
  const key = devKey(name)
  const options = { chain, key, settleTimeoutMs: 8_000, bumpAfterMs: 1_400, leaseMs: 1_300 }
  const facilitator = await stage.openFacilitator(options)
  await stage.chain.fundGas(facilitator.address ?? '0x')
  return facilitator
}

const reader = () => createChainReader(stage.access)

test('a node that does not answer makes a verification throw, not reject', async () => {
  const facilitator = await openImpatient('stalled')
  const payment = await payTerms(await stage.newPayer(), terms)
  for (const fate of ['stall', 'break'] as const) {
    proxy.setFate(() => fate)
    await assert.rejects(facilitator.verify(payment, NEVER), Unreachable)
    const { settlement, told } = await settleWhole(facilitator, payment)
    assert.deepEqual(settlement, { outcome: 'unknown', transaction: null, reason: 'chain_unreachable' })
    assert.deepEqual(told, [])
  }
  assert.equal((await facilitator.health()).isHealthy, false)
})

test('a transaction whose sending was not answered is found by its receipt', async () => {
  const facilitator = await openImpatient('swallowed')
  const payment = await payTerms(await stage.newPayer(), terms)
  proxy.setFate((methods) => (methods.includes('eth_sendRawTransaction') ? 'swallow' : 'forward'))
  const { settlement, told } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'settled')
  assert.equal(settlement.outcome === 'settled' && settlement.transaction, told[0])
})

test('a transaction whose receipt a lagging node lacks is not sent again under another nonce', async () => {
  const facilitator = await openImpatient('lagging')
  const payment = await payTerms(await stage.newPayer(), terms)
  let sent = 0
  let missing = 3
  proxy.setFate((methods) => {
    if (!methods.includes('eth_sendRawTransaction')) return 'forward'
    sent += 1
    return sent === 1 ? 'swallow' : 'forward'
  })
  proxy.setResults(({ method }, result) => {
    if (method !== 'eth_getTransactionReceipt') return result
    if (sent > 1) missing -= 1
    return missing > 0 ? null : result
  })
  const { settlement } = await settleWhole(facilitator, payment)
  proxy.setResults((_, result) => result)
  assert.equal(settlement.outcome, 'settled')
  const count = await stage.chain.rpc.call('eth_getTransactionCount', [facilitator.address, 'latest'])
  assert.equal(Number(count), 1)
})

test('a nonce that is used in one reading and unused in another is unknown, not failed', async () => {
  const facilitator = await openImpatient('two readings')
  const payment = await payTerms(await stage.newPayer(), terms)
  const unused = new Map<string, unknown>()
  const isUseRead = (method: string, params: readonly unknown[]) =>
    method === 'eth_call' && JSON.stringify(params).includes(payment.nonce.slice(2))
  proxy.setResults(({ method, params }, result) => {
    if (isUseRead(method, params)) unused.set(JSON.stringify(params), result)
    return result
  })
  assert.deepEqual(await createChainReader(toAccess(proxy.url)).findSettlement(payment, NEVER), {
    found: 'open',
  })
  // Somebody else submits the authorization.
  const other = await stage.openFacilitator({ key: devKey('somebody else') })
  await stage.chain.fundGas(other.address ?? '0x')
  assert.equal((await settleWhole(other, payment)).settlement.outcome, 'settled')
  let reads = 0
  proxy.setResults(({ method, params }, result) => {
    if (!unused.has(JSON.stringify(params)) || !isUseRead(method, params)) return result
    reads += 1
    return reads === 1 ? result : unused.get(JSON.stringify(params))
  })
  const { settlement } = await settleWhole(facilitator, payment)
  proxy.setResults((_, result) => result)
  const reason = 'invalid_exact_evm_nonce_already_used'
  assert.deepEqual(settlement, { outcome: 'unknown', transaction: null, reason })
})

test('a settlement that was mined while the node was unreachable is unknown, and found later', async () => {
  const facilitator = await openImpatient('cut off')
  const payment = await payTerms(await stage.newPayer(), terms)
  let isCut = false
  proxy.setFate((methods) => {
    if (isCut) return 'stall'
    isCut = methods.includes('eth_sendRawTransaction')
    return isCut ? 'swallow' : 'forward'
  })
  const { settlement, told } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'unknown')
  const finding = await reader().findSettlement(payment, NEVER)
  assert.deepEqual(finding, { found: 'settled', transaction: told[0], amount: 2237n, isFinal: true })
})

test('without a receipt the fee is raised, each hash is reported first, and the outcome stays unknown', async () => {
  const facilitator = await openImpatient('no receipt')
  const key = await stage.newPayer(2237n)
  const payment = await payTerms(key, terms)
  proxy.setFate((methods) => (methods.includes('eth_sendRawTransaction') ? 'stall' : 'forward'))
  const { settlement, told } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'unknown')
  assert.ok(told.length > 1 && new Set(told).size === told.length)
  assert.deepEqual(await reader().findSettlement(payment, NEVER), { found: 'open' })

  // It would fail now, but what was stored may still be mined: `failed` would be a guess.
  await stage.chain.fundGas(privateKeyToAccount(key).address)
  const payer = toSender(key, stage.chain.rpcUrl)
  const move = { functionName: 'transfer', args: [devPayTo.social, 1n] } as const
  const hash = await payer.writeContract({ address: BASE.usdc, abi: devUsdcAbi, ...move })
  await payer.waitForTransactionReceipt({ hash })
  const reason = 'invalid_exact_evm_insufficient_balance'
  // On a busy machine, a read of the chain may exceed the short timeout.
  const unreachable = { outcome: 'unknown', transaction: null, reason: 'chain_unreachable' }
  const first = await settleWhile((settlement) => isDeepStrictEqual(settlement, unreachable))
  assert.deepEqual(first, { outcome: 'unknown', transaction: null, reason })
  // The stored transaction is sent again on its own, and uses its nonce without effect.
  proxy.setFate(() => 'forward')
  const last = await settleWhile(({ outcome }) => outcome === 'unknown')
  assert.deepEqual(last, { outcome: 'failed', reason, cause: 'payer' })

  async function settleWhile(isOpen: (settlement: Settlement) => boolean): Promise<Settlement> {
    let { settlement } = await settleWhole(facilitator, payment)
    for (let round = 0; isOpen(settlement) && round < 600; round++) {
      await delay(50)
      settlement = (await settleWhole(facilitator, payment)).settlement
    }
    return settlement
  }
})

test('a settlement that is aborted before it is sent has failed, afterwards it is unknown', async () => {
  const facilitator = await openImpatient('aborted')
  const [early, late] = await Promise.all([stage.newPayer(), stage.newPayer()])
  const aborted = AbortSignal.abort()
  const order = {
    payment: await payTerms(early, terms),
    amount: 2237n,
    isCovered: true,
    key: 'one-call',
    beforeSend: async () => {},
  }
  assert.deepEqual(await facilitator.settle(order, aborted), {
    outcome: 'failed',
    reason: 'aborted',
    cause: 'operator',
  })
  const controller = new AbortController()
  const payment = await payTerms(late, terms)
  const beforeSend = async () => controller.abort()
  const settlement = await facilitator.settle(
    { payment, amount: 2237n, isCovered: true, key: 'one-call', beforeSend },
    controller.signal,
  )
  assert.deepEqual(settlement, { outcome: 'unknown', transaction: null, reason: 'aborted' })
})

test('errors contain neither the credentials nor the path of the RPC URL', async () => {
  const url = new URL('/v3/secret-path', stage.chain.rpcUrl)
  url.username = 'operator'
  url.password = 'hunter2'
  url.port = '9'
  const lost = createChainReader({ ...toAccess(url.href), timeoutMs: 250 })
  await assert.rejects(lost.balanceOf(devPayTo.utility, NEVER), (error: Error) => {
    const shown = `${error.stack} ${JSON.stringify(error)} ${error.cause}`
    assert.doesNotMatch(shown, /hunter2|operator|secret-path/)
    return error instanceof Unreachable
  })
})
