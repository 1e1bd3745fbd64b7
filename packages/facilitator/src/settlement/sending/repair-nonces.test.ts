import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { devKey } from '@tollbook/chain/dev-accounts'
import { openChain } from '@tollbook/gate/reading/chain'
import { startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import {
  openSettlementStage,
  type SettlementStage,
  toAccess,
} from '@tollbook/testing/payments/settlement-stage'
import { createFeeSource } from '../chain/fees.ts'
import { createWalletSigner } from '../wallet-signer.ts'
import { repairNonces } from './repair-nonces.ts'
import { openWallet } from './wallet.ts'

let stage: SettlementStage
before(async () => {
  stage = await openSettlementStage()
})
after(() => stage.close())

test('an empty transaction does not replace one that is stored at the same time', async (t) => {
  const proxy = await startRpcProxy(stage.chain.rpcUrl)
  t.after(proxy.close)
  const chain = openChain(toAccess(proxy.url))
  const signer = createWalletSigner(devKey(t.name))
  const wallet = await openWallet(chain, signer, { state: stage.state, owner: 'one', leaseMs: 10_000 })
  const nonce = await wallet.nonces.take(0)
  await wallet.nonces.abandon(nonce)
  const fees = createFeeSource(chain, 20_000_000_000n)
  const call = { to: signer.address, data: '0x01' } as const
  const late = { nonce, call, gas: 30_000n, fees: await fees.current() }
  const { raw } = await signer.signTransaction(stage.chain.chainId, late)
  // The statement that stores it waited in the database until now.
  proxy.setFate(async (methods) => {
    if (methods.includes('eth_maxPriorityFeePerGas')) await wallet.nonces.approve(nonce, raw, ['a payment'])
    return 'forward' as const
  })
  assert.equal(await repairNonces(wallet, createFeeSource(chain, 20_000_000_000n)), 1)
  const row = await stage.state.db.selectFrom('signer_transaction').selectAll().executeTakeFirst()
  assert.deepEqual([row?.raw, row?.payments], [raw, 'a payment'])
})
