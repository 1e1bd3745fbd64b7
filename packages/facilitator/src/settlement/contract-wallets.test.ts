import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { exactTerms, makeExact, payTerms } from '@tollbook/testing/payments/offered-payment'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { encodeAbiParameters, getContractAddress, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Runtime code of a wallet that answers 0x1626ba7e to every isValidSignature (EIP-1271). */
const AGREEABLE_WALLET = '0x631626ba7e60e01b60005260206000f3'
/** Runtime code that uses up all gas: INVALID. */
const HOSTILE_WALLET = '0xfe'
/**
 * Deploys what follows a salt with CREATE2; preset on anvil and on Base
 * (github.com/Arachnid/deterministic-deployment-proxy).
 */
const DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const terms = exactTerms('2237')
let stage: SettlementStage
let facilitator: RunningFacilitator
before(async () => {
  stage = await openSettlementStage()
  facilitator = await stage.openFacilitator({ allowedFactories: [DEPLOYER] })
})
after(() => stage.close())

const addressOf = (key: Hex) => privateKeyToAccount(key).address
const setCode = (account: Hex, code: Hex) => stage.chain.rpc.call('anvil_setCode', [account, code])
const refusalOf = async (payment: Parameters<RunningFacilitator['verify']>[0]) => {
  const verified = await facilitator.verify(payment, NEVER)
  return verified.isValid ? null : verified.reason
}

/** The hash of the code under which a valid payment is counted. */
const codeOf = async (payment: Parameters<RunningFacilitator['verify']>[0]) => {
  const verified = await facilitator.verify(payment, NEVER)
  return verified.isValid ? verified.payerCode?.codeHash : verified.reason
}

test('a contract wallet pays by its own rule, in a transaction of its own', async () => {
  const wallet = '0x00000000000000000000000000000000000a11ce'
  await setCode(wallet, AGREEABLE_WALLET)
  await stage.chain.fundUsdc(wallet, 10_000n)
  for (const length of [65, 100]) {
    const signature = `0x${'11'.repeat(length)}` as const
    const payment = await makeExact(DEV_CLIENT_KEYS[0], terms, { payer: wallet, signature })
    assert.deepEqual(await codeOf(payment), keccak256(AGREEABLE_WALLET))
    assert.equal((await settleWhole(facilitator, payment)).settlement.outcome, 'settled')
  }
  assert.equal(await stage.balanceOf(wallet), 10_000n - 2n * 2237n)
})

test('a wallet is deployed by its first payment if its factory is allowed (ERC-6492)', async () => {
  const runtime = AGREEABLE_WALLET.slice(2)
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  // PUSH1 size, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 size, PUSH1 0, RETURN, then the runtime code.
  const initCode = `0x60${size}600c60003960${size}6000f3${runtime}` as const
  const salt = keccak256('0x01')
  const wallet = getContractAddress({ opcode: 'CREATE2', from: DEPLOYER, salt, bytecode: initCode })
  await stage.chain.fundUsdc(wallet, 10_000n)
  const wrap = (factory: Hex): Hex => {
    const fields = [factory, `${salt}${initCode.slice(2)}` as Hex, '0x1234' as Hex] as const
    const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
    return `${encodeAbiParameters(types, fields)}${'6492'.repeat(16)}`
  }
  const stranger = await makeExact(DEV_CLIENT_KEYS[0], terms, {
    payer: wallet,
    signature: wrap(devPayTo.social),
  })
  assert.equal(await refusalOf(stranger), 'eip6492_factory_not_allowed')
  // The second time the wallet is deployed, and the wrapping is removed.
  for (let round = 0; round < 2; round++) {
    const payment = await makeExact(DEV_CLIENT_KEYS[0], terms, { payer: wallet, signature: wrap(DEPLOYER) })
    assert.equal(await codeOf(payment), keccak256(round === 0 ? DEPLOYER : AGREEABLE_WALLET))
    assert.equal((await settleWhole(facilitator, payment)).settlement.outcome, 'settled')
  }
  assert.equal(await stage.balanceOf(wallet), 10_000n - 2n * 2237n)
})

test('only the payer who gains hostile code after the check fails', async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => stage.newPayer()))
  const payments = await Promise.all(keys.map((key) => payTerms(key, terms)))
  for (const payment of payments)
    assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  await setCode(addressOf(keys[3] ?? '0x'), HOSTILE_WALLET)
  const settled = await Promise.all(payments.map((payment) => settleWhole(facilitator, payment)))
  assert.deepEqual(
    settled.map(({ settlement }) => settlement.outcome),
    ['settled', 'settled', 'settled', 'failed', 'settled', 'settled'],
  )
})
