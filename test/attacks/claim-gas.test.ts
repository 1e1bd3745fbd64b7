import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { claimBatchTypes } from '@x402/evm'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { BASE } from '../../src/money/base.ts'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { openSettlementStage, type SettlementStage } from '../payments/settlement-stage.ts'
import { gasBurnt } from './block-race.ts'
import { hostileCode } from './hostile-code.ts'

const PAYEE = `0x${'5f'.repeat(20)}` as const
const DEPOSIT = 100_000n
/** Worth the gas of a claim. */
const WORTH = 50_000n
/** Less than a claim takes. */
const NO_CLAIM = 50_000n
const DOMAIN = {
  name: 'x402 Batch Settlement',
  version: '1',
  chainId: BASE.chainId,
  verifyingContract: BASE.channelEscrow,
}

let stage: SettlementStage
let facilitator: TestFacilitator
before(async () => {
  stage = await openSettlementStage()
  // The node suggests a tip of 1 gwei: 100,000 gas cost a cent.
  facilitator = await startFacilitator(stage, null, { settings: { TOLLBOOK_ETH_USD: '100' } })
})
after(async () => {
  await facilitator?.close()
  await stage?.close()
})

type Channel = {
  readonly id: Hex
  readonly config: ReturnType<typeof buildChannelConfig>
  readonly payer: PrivateKeyAccount
}
type Total = { readonly channel: Channel; readonly total: bigint }

/** An attacker who is both sides of its channels, and signs their claims. */
function openAttacker() {
  const authorizer = privateKeyToAccount(generatePrivateKey())
  const requirements = {
    scheme: 'batch-settlement',
    network: BASE.network,
    asset: BASE.usdc,
    payTo: PAYEE,
    amount: '1',
    maxTimeoutSeconds: 60,
    extra: {
      name: BASE.usdcName,
      version: BASE.usdcVersion,
      receiverAuthorizer: authorizer.address,
      withdrawDelay: 86_400,
    },
  }

  async function settle(payload: object): Promise<unknown> {
    const paymentPayload = { x402Version: 2, accepted: requirements, payload }
    const body = { x402Version: 2, paymentPayload, paymentRequirements: requirements }
    const { body: answer } = await facilitator.post('/settle', body)
    return answer.success ? 'settled' : answer.errorReason
  }

  return {
    authorizer: authorizer.address,
    async deposit(count: number): Promise<readonly Channel[]> {
      const payer = privateKeyToAccount(await stage.newPayer(DEPOSIT * BigInt(count)))
      const channels: Channel[] = []
      while (channels.length < count) {
        const salt = numberToHex(channels.length, { size: 32 })
        const parts = { signer: payer, payerAuthorizer: payer.address, salt }
        const storage = new InMemoryClientChannelStorage()
        const config = buildChannelConfig({ ...parts, storage } as never, requirements as never)
        const signed = [payer, 2, requirements, config, `${DEPOSIT}`, '1'] as unknown
        const made = await createBatchSettlementEIP3009DepositPayload(
          ...(signed as Parameters<typeof createBatchSettlementEIP3009DepositPayload>),
        )
        assert.equal(await settle(made.payload), 'settled')
        channels.push({ id: computeChannelId(config, BASE.network), config, payer })
      }
      return channels
    },
    async claim(totals: readonly Total[]): Promise<unknown> {
      const entries = totals.map(({ channel, total }) => ({
        channelId: channel.id,
        maxClaimableAmount: total,
        totalClaimed: total,
      }))
      const claims = totals.map(async ({ channel: { id, config, payer }, total }) => ({
        voucher: { channel: config, maxClaimableAmount: `${total}` },
        signature: (await signVoucher(payer as never, id, `${total}`, BASE.network)).signature,
        totalClaimed: `${total}`,
      }))
      const claimAuthorizerSignature = await authorizer.signTypedData({
        domain: DOMAIN,
        types: claimBatchTypes,
        primaryType: 'ClaimBatch',
        message: { claims: entries },
      })
      return settle({ type: 'claim', claims: await Promise.all(claims), claimAuthorizerSignature })
    },
  }
}

test('claims that earn less than their gas are not sent', async () => {
  const attacker = openAttacker()
  const channels = await attacker.deposit(3)
  const claimAll = (total: bigint) => attacker.claim(channels.map((channel) => ({ channel, total })))
  const [channel] = channels
  assert.ok(channel)
  const gas = await gasBurnt(stage.chain, async () => {
    assert.equal(await claimAll(1n), 'claim_below_gas')
    const repeated = Array.from({ length: 50 }, () => ({ channel, total: 1_000n }))
    assert.equal(await attacker.claim(repeated), 'claim_below_gas')
  })
  assert.ok(gas < NO_CLAIM, `${gas} gas`)
  assert.equal(await claimAll(WORTH), 'settled')
  // What was claimed before earns nothing more.
  const again = await gasBurnt(stage.chain, async () =>
    assert.equal(await claimAll(WORTH + 1n), 'claim_below_gas'),
  )
  assert.ok(again < NO_CLAIM, `${again} gas`)
})

test('claims of the same money at once burn the gas of one', async () => {
  const attacker = openAttacker()
  const [one, other] = (await attacker.deposit(2)).map((channel) => ({ channel, total: WORTH }))
  assert.ok(one && other)
  const answers = await Promise.all([attacker.claim([one, other]), attacker.claim([other, one])])
  assert.deepEqual(answers.sort(), ['claim_below_gas', 'settled'])
})

test('an authorizer whose code consents only in simulations burns nothing', async () => {
  for (const rounds of [3_000, 100_000]) {
    const attacker = openAttacker()
    const channels = await attacker.deposit(1)
    await stage.chain.rpc.call('anvil_setCode', [attacker.authorizer, hostileCode(rounds)])
    const totals = channels.map((channel) => ({ channel, total: WORTH }))
    const gas = await gasBurnt(stage.chain, async () =>
      assert.match(String(await attacker.claim(totals)), /authorizer_has_code/),
    )
    assert.ok(gas < NO_CLAIM, `${gas} gas`)
  }
})
