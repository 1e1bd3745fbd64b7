import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toClientEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  getContractAddress,
  parseAbi,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from '../../../test/chain/base-chain.ts'
import { patientHttp } from '../../../test/chain/patient-http.ts'
import {
  clientAccount,
  sendCall,
  toPermit2Approval,
  toPermit2Settlement,
  toProxySettlement,
} from '../../../test/report/chain-payments.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import { DEV_CLIENT_KEYS, devFacilitatorKey } from '../../devchain/accounts.ts'
import { type DevChain, startDevChain } from '../../devchain/dev-chain.ts'
import { BASE } from '../../money/base.ts'
import { readMerchant } from '../verify/read-merchant.ts'
import { BASE_CONTRACTS } from './contracts.ts'
import { type Chain, type Position, readStep } from './follow.ts'
import contracts from './golden/channel-contracts.json' with { type: 'json' }
import { EVIDENCE } from './payment.ts'
import { createRangeSize } from './range-size.ts'

type Hex = `0x${string}`
/** The deterministic deployer, which anvil has from the start. */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const CREATIONS = [
  { ...contracts.batchSettlement, code: contracts.batchSettlement.creationCode as Hex },
  {
    ...contracts.erc3009Collector,
    code: concat([
      contracts.erc3009Collector.creationCode as Hex,
      encodeAbiParameters([{ type: 'address' }], [BASE.channelEscrow]),
    ]),
  },
]
const ESCROW_ABI = parseAbi([
  'function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)',
  'function receivers(address, address) view returns (uint128 totalClaimed, uint128 totalSettled)',
])
const SHOP = `0x${'5a'.repeat(20)}` as const
const BAR = `0x${'5b'.repeat(20)}` as const
/** A merchant's contract that stores a claim. */
const KEEPER = `0x${'ce'.repeat(20)}` as const
const signal = new AbortController().signal
const fromStart: Position = { firstBlock: 0, nextBlock: 0, checkpoints: [] }

let chain: DevChain
let facilitator: BatchSettlementEvmScheme
const authorizer = privateKeyToAccount(devFacilitatorKey)
const toReader = () => createPublicClient({ chain: base, transport: patientHttp(chain.rpcUrl) })

before(async () => {
  chain = await startDevChain({ port: 0 })
  const account = privateKeyToAccount(devFacilitatorKey)
  const transport = patientHttp(chain.rpcUrl)
  const wallet = createWalletClient({ account, chain: base, transport, pollingInterval: 20 }).extend(
    publicActions,
  )
  await chain.fundGas(BAR)
  for (const { salt, code } of CREATIONS) {
    const hash = await wallet.sendTransaction({ to: CREATE2_DEPLOYER, data: concat([salt as Hex, code]) })
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  }
  // The SDK types its arguments more loosely than viem does.
  type Signer = Parameters<typeof toFacilitatorEvmSigner>[0]
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as Signer)
  facilitator = new BatchSettlementEvmScheme(signer, authorizer as never)
})
after(() => chain.close())

test('the contracts of these tests are those of Base: their code gives their addresses', () => {
  for (const { address, salt, code } of CREATIONS) {
    const made = getContractAddress({
      opcode: 'CREATE2',
      from: CREATE2_DEPLOYER,
      salt: salt as Hex,
      bytecode: code,
    })
    assert.equal(made, address)
  }
  assert.equal(CREATIONS[0]?.address, BASE.channelEscrow)
  assert.equal(CREATIONS[1]?.address, BASE.channelCollectors[0])
})

test('claims of channels are payments; deposits, settlements and refunds are not', async () => {
  const ann = await openChannel({ key: DEV_CLIENT_KEYS[0], receiver: SHOP, deposit: 50_000n })
  const ben = await openChannel({ key: DEV_CLIENT_KEYS[1], receiver: BAR, deposit: 30_000n })
  await claim([await ann.voucher(12_000n), await ben.voucher(7_000n)])
  await claim([await ann.voucher(20_000n)])
  await settle({ type: 'settle', receiver: SHOP, token: BASE.usdc })
  await refund(ann, 10_000n)
  await claim([await ann.voucher(25_000n)])

  const { payments, misses } = await readAll()
  assert.deepEqual(
    payments.map(({ buyer, merchant, amount }) => [buyer, merchant, amount]),
    [
      [ann.payer, SHOP, 12_000n],
      [ben.payer, BAR, 7_000n],
      [ann.payer, SHOP, 8_000n],
      [ann.payer, SHOP, 5_000n],
    ],
  )
  assert.ok(payments.every(({ evidence }) => (evidence & EVIDENCE.claim) !== 0))
  assert.equal(misses, 0)
  for (const receiver of [SHOP, BAR]) assert.equal(sumOf(payments, receiver), await claimedBy(receiver))
  assert.equal(await claimedOf(ann.id), 25_000n)

  const verified = await readMerchant(
    {
      rpc: createReadRpc({ url: chain.rpcUrl }),
      contracts: BASE_CONTRACTS,
      facilitators: new Set(),
      wallets: [SHOP],
      firstBlock: 0,
      endBlock: (await head()) + 1,
    },
    signal,
  )
  assert.deepEqual(
    verified.received,
    payments.filter(({ merchant }) => merchant === SHOP),
  )
})

test('a claim that a reorganisation removed is a payment no longer', async () => {
  const cat = await openChannel({ key: DEV_CLIENT_KEYS[2], receiver: BAR, deposit: 30_000n })
  const snapshot = await chain.rpc.call('evm_snapshot')
  await claim([await cat.voucher(9_000n)])
  assert.equal(sumOf((await readAll()).payments, BAR), await claimedBy(BAR))
  await chain.rpc.call('evm_revert', [snapshot])
  await claim([await cat.voucher(4_000n)])
  assert.equal(await claimedBy(BAR), 11_000n)
  assert.equal(sumOf((await readAll()).payments, BAR), 11_000n)
})

test('a claim whose calldata lacks the terms is proven by the creation of its channel', async () => {
  const dan = await openChannel({ key: DEV_CLIENT_KEYS[3], receiver: KEEPER, deposit: 30_000n })
  const snapshot = await chain.rpc.call('evm_snapshot')
  await claim([await dan.voucher(6_000n)])
  const block = await toReader().getBlock({ includeTransactions: true })
  const [input = '0x'] = block.transactions.map((transaction) => transaction.input)
  await chain.rpc.call('evm_revert', [snapshot])
  await chain.rpc.call('anvil_setCode', [KEEPER, toCaller(input)])
  await sendCall(chain, BAR, { to: KEEPER, data: '0x' })

  const { payments } = await readAll()
  assert.deepEqual(
    payments.filter(({ merchant }) => merchant === KEEPER).map(({ buyer, amount }) => [buyer, amount]),
    [[dan.payer, 6_000n]],
  )
  assert.equal(sumOf(payments, KEEPER), await claimedBy(KEEPER))
})

test('a deposit over Permit2 is no payment, through a collector or a proxy', async () => {
  const [, collector = '0x'] = BASE.channelCollectors
  const code = await toReader().getCode({ address: BASE.exactPermit2Proxy })
  await chain.rpc.call('anvil_setCode', [collector, code])
  const payer = clientAccount(5).address
  await sendCall(chain, payer, toPermit2Approval())
  const { payments: before } = await readAll()
  const deposit = { payer: 5, to: BASE.channelEscrow, amount: 40_000n }
  await sendCall(chain, payer, await toProxySettlement({ ...deposit, salt: 'collector' }, collector))
  await sendCall(chain, payer, await toPermit2Settlement({ ...deposit, salt: 'proxy' }))
  assert.deepEqual((await readAll()).payments, before)
})

test('a claim whose terms are in another token is a miss, and no payment', async () => {
  const { payments, misses } = await readAll({ ...BASE_CONTRACTS, usdc: `0x${'99'.repeat(20)}` })
  assert.deepEqual(payments, [])
  assert.ok(misses > 0)
})

/** Code of a contract that calls the escrow with data that it contains. */
function toCaller(data: Hex): Hex {
  const size = ((data.length - 2) / 2).toString(16).padStart(4, '0')
  // CODECOPY(0, 43, size), CALL(gas, escrow, 0, 0, size, 0, 0), then STOP if it succeeded.
  const code = `61${size}602b5f39` + `5f5f61${size}5f5f73${BASE.channelEscrow.slice(2)}5af1602957fe5b00`
  return `0x${code}${data.slice(2)}`
}

type Channel = {
  readonly id: Hex
  readonly payer: Hex
  readonly config: ReturnType<typeof buildChannelConfig>
  readonly requirements: PaymentRequirements
  /** A claim up to this sum of the channel's life, signed by the payer. */
  voucher(total: bigint): Promise<Claim>
}
type Claim = {
  readonly voucher: { readonly channel: Channel['config']; readonly maxClaimableAmount: string }
  readonly signature: Hex
  readonly totalClaimed: string
}

async function openChannel(of: {
  readonly key: Hex
  readonly receiver: Hex
  readonly deposit: bigint
}): Promise<Channel> {
  const signer = toClientEvmSigner(privateKeyToAccount(of.key), toReader())
  const requirements = toRequirements(of.receiver)
  const deps = { signer, storage: new InMemoryClientChannelStorage(), salt: `0x${'07'.repeat(32)}` as const }
  const config = buildChannelConfig(deps, requirements)
  const id = computeChannelId(config, BASE.network)
  const made = await createBatchSettlementEIP3009DepositPayload(
    signer,
    2,
    requirements,
    config,
    of.deposit.toString(),
    '1000',
  )
  await settle(made.payload, requirements)
  return {
    id,
    payer: signer.address.toLowerCase() as Hex,
    config,
    requirements,
    async voucher(total) {
      const { signature, maxClaimableAmount } = await signVoucher(signer, id, total.toString(), BASE.network)
      return { voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed: total.toString() }
    },
  }
}

async function claim(claims: readonly Claim[]): Promise<void> {
  await settle({ type: 'claim', claims })
}

async function refund(channel: Channel, amount: bigint): Promise<void> {
  const last = await channel.voucher(await claimedOf(channel.id))
  await settle(
    {
      type: 'refund',
      channelConfig: channel.config,
      voucher: { channelId: channel.id, maxClaimableAmount: last.totalClaimed, signature: last.signature },
      amount: amount.toString(),
      refundNonce: '0',
      claims: [],
    },
    channel.requirements,
  )
}

async function settle(payload: Record<string, unknown>, requirements = toRequirements(SHOP)): Promise<void> {
  const envelope: PaymentPayload = { x402Version: 2, accepted: requirements, payload }
  const settled = await facilitator.settle(envelope, requirements)
  assert.deepEqual([settled.success, settled.errorReason, settled.errorMessage], [true, undefined, undefined])
}

function toRequirements(payTo: Hex): PaymentRequirements {
  return {
    scheme: 'batch-settlement',
    network: BASE.network,
    amount: '1000',
    asset: BASE.usdc,
    payTo,
    maxTimeoutSeconds: 600,
    extra: {
      name: BASE.usdcName,
      version: BASE.usdcVersion,
      receiverAuthorizer: authorizer.address,
      withdrawDelay: 900,
    },
  }
}

async function readAll(of = BASE_CONTRACTS) {
  const rpc = createReadRpc({ url: chain.rpcUrl })
  const reader: Chain = {
    rpc,
    range: createRangeSize(),
    contracts: of,
    facilitators: new Set(),
    head: 'latest',
    now: () => new Date(),
    clock: null,
    findWitness: async () => null,
    isCrossChecked: false,
  }
  const payments = []
  let misses = 0
  for (let position = fromStart; ; ) {
    const step = await readStep(reader, position, signal)
    if (step.kind !== 'blocks') return { payments, misses }
    payments.push(...step.payments)
    misses += step.misses
    position = { firstBlock: 0, nextBlock: step.endBlock, checkpoints: [step.checkpoint] }
  }
}

function sumOf(
  payments: readonly { readonly merchant: Hex; readonly amount: bigint }[],
  receiver: Hex,
): bigint {
  const own = payments.filter(({ merchant }) => merchant === receiver)
  return own.reduce((sum, { amount }) => sum + amount, 0n)
}

async function claimedBy(receiver: Hex): Promise<bigint> {
  const args = [receiver, BASE.usdc] as const
  const [claimed] = await toReader().readContract({
    address: BASE.channelEscrow,
    abi: ESCROW_ABI,
    functionName: 'receivers',
    args,
  })
  return claimed
}

async function claimedOf(id: Hex): Promise<bigint> {
  const read = { address: BASE.channelEscrow, abi: ESCROW_ABI, functionName: 'channels', args: [id] } as const
  const [, claimed] = await toReader().readContract(read)
  return claimed
}

async function head(): Promise<number> {
  return Number(await toReader().getBlockNumber({ cacheTime: 0 }))
}
