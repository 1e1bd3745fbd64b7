import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, hashTypedData, keccak256, parseAbi, toBytes } from 'viem'
import { createChannelHistory } from './channel-history.ts'
import { BASE_CONTRACTS } from './contracts.ts'
import { findChannels, findEscrowTerms, readEscrowTerms, termsKey } from './escrow-terms.ts'
import { decodeLog, type EscrowPayment } from './log.ts'

const USDC = BASE_CONTRACTS.usdc
const PAYER = `0x${'a1'.repeat(20)}` as const
const RECEIVER = `0x${'5a'.repeat(20)}` as const
const [CAPTURE_ESCROW = PAYER, OTHER_ESCROW = PAYER] = BASE_CONTRACTS.captureEscrows

const CONFIG_TYPES = {
  ChannelConfig: [
    { name: 'payer', type: 'address' },
    { name: 'payerAuthorizer', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'receiverAuthorizer', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'withdrawDelay', type: 'uint40' },
    { name: 'salt', type: 'bytes32' },
  ],
} as const
const INFO_TYPE =
  'PaymentInfo(address operator,address payer,address receiver,address token,uint120 maxAmount,uint48 preApprovalExpiry,uint48 authorizationExpiry,uint48 refundExpiry,uint16 minFeeBps,uint16 maxFeeBps,address feeReceiver,uint256 salt)'
const INFO_ABI =
  '(address operator, address payer, address receiver, address token, uint120 maxAmount, uint48 preApprovalExpiry, uint48 authorizationExpiry, uint48 refundExpiry, uint16 minFeeBps, uint16 maxFeeBps, address feeReceiver, uint256 salt)'
const CLAIM_ABI = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }',
  'struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }',
  'function claim(VoucherClaim[] voucherClaims)',
  'function multicall(bytes[] data)',
])
const CAPTURE_ABI = parseAbi([
  `function capture(${INFO_ABI} paymentInfo, uint256 amount, uint16 feeBps, address feeReceiver)`,
])

test('the terms of every claim of a batch are found, also within a multicall', () => {
  const configs = [configOf(1), configOf(2), configOf(3)]
  const direct = claimData(configs)
  const nested = encodeFunctionData({ abi: CLAIM_ABI, functionName: 'multicall', args: [[direct]] })
  const claims = configs.map((config) => claimOf(channelId(config)))
  for (const data of [direct, nested]) {
    const terms = findEscrowTerms(data.slice(2), claims, BASE_CONTRACTS)
    assert.deepEqual(
      [...terms],
      configs.map((config) => [channelId(config), { payer: config.payer, receiver: RECEIVER }]),
    )
  }
})

for (const maxBlocks of [100, 10_000])
  test(`a channel counts that was created up to 129,600 blocks before its claim, for a node of ${maxBlocks} blocks at once`, async () => {
    const [young, old] = [configOf(1), configOf(2)]
    const created = [
      { block: 70_401, config: young },
      { block: 70_400, config: old },
    ]
    const receipts = [toReceipt(200_000, old), toReceipt(200_001, young), toReceipt(200_001, old)]
    const source = { rpc: toNode(created, maxBlocks), contracts: BASE_CONTRACTS }
    for (const together of [[receipts], receipts.map((receipt) => [receipt])]) {
      const terms = await Promise.all(
        together.map((some) => readEscrowTerms(source, some, new AbortController().signal)),
      )
      const expected = [receipts[0], receipts[1]].map(
        (receipt) => receipt && termsKey(receipt.transaction, receipt.logs[0].id),
      )
      assert.deepEqual(
        terms.flatMap((each) => [...each.keys()]),
        expected,
      )
    }
  })

test('on a node of 10 blocks at once, the first claim without terms costs 12,960 requests, each further one few', async () => {
  const requested: number[] = []
  const source = {
    rpc: toNode([], 10, () => requested.push(1)),
    contracts: BASE_CONTRACTS,
    channels: createChannelHistory(),
  }
  const costs: number[] = []
  for (let claim = 0; claim < 4; claim++) {
    const receipt = toReceipt(200_000 + 10 * claim, configOf(claim + 1))
    await readEscrowTerms(source, [receipt], new AbortController().signal)
    costs.push(requested.splice(0).length)
  }
  const [first = 0, ...further] = costs
  // Some are refused: their size is doubled at times, because a node may accept more than before.
  assert.ok(first >= 12_960 && first < 15_000, `${first}`)
  assert.ok(Math.max(...further) <= 4, `${further}`)
})

test('words that do not hash to the id of the log are no terms', () => {
  const data = claimData([configOf(1)]).slice(2)
  assert.equal(findEscrowTerms(data, [claimOf(channelId(configOf(2)))], BASE_CONTRACTS).size, 0)
  const ids = [claimOf(channelId(configOf(1)))]
  assert.equal(findEscrowTerms(data, ids, { ...BASE_CONTRACTS, chainId: 84532 }).size, 0)
})

test('the terms of a capture are those of its own escrow', () => {
  const info = infoOf(7n)
  const args = [info, 1_000_000n, 250, PAYER] as const
  const data = encodeFunctionData({ abi: CAPTURE_ABI, functionName: 'capture', args }).slice(2)
  const capture = (escrow: Address): EscrowPayment => ({
    kind: 'capture',
    escrow,
    id: captureId(info, escrow),
    amount: 1n,
  })
  for (const escrow of [CAPTURE_ESCROW, OTHER_ESCROW]) {
    const terms = findEscrowTerms(data, [capture(escrow)], BASE_CONTRACTS)
    assert.deepEqual([...terms.values()], [{ payer: PAYER, receiver: RECEIVER }])
  }
  const foreign = { ...capture(CAPTURE_ESCROW), escrow: OTHER_ESCROW }
  assert.equal(findEscrowTerms(data, [foreign], BASE_CONTRACTS).size, 0)
})

test('any calldata is searched without an error', () => {
  const word = fc.constantFrom('0'.repeat(24) + USDC.slice(2), '0'.repeat(64), 'f'.repeat(64), 'ab')
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const found = findEscrowTerms(words.join(''), [claimOf(`0x${'1'.repeat(64)}`)], BASE_CONTRACTS)
      assert.equal(found.size, 0)
    }),
  )
})

test('of calldata in which every word could begin a channel, 2,000 are looked at', () => {
  const words = Array.from({ length: 3_000 }, (_, at) => at.toString(16).padStart(64, '0')).join('')
  assert.equal(findChannels(words, BASE_CONTRACTS).size, 2_000)
})

test('a capture pays the receiver the amount without the fee', () => {
  const id: Hex = `0x${'3'.repeat(64)}`
  // 2.5 % of 1.000001 dollars is 25,000.025 millionths, which the escrow rounds down.
  const data = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint16' }, { type: 'address' }],
    [1_000_001n, 250, PAYER],
  )
  const log = { address: CAPTURE_ESCROW, topics: [TOPIC.captured, id], data, logIndex: '0x5' }
  assert.deepEqual(decodeLog(log, BASE_CONTRACTS), {
    logIndex: 5,
    kind: 'capture',
    escrow: CAPTURE_ESCROW,
    id,
    amount: 975_001n,
    fee: 25_000n,
  })
  const charged = encodeAbiParameters(
    [
      ...INFO_COMPONENTS.map((type) => ({ type })),
      { type: 'uint256' },
      { type: 'address' },
      { type: 'uint16' },
      { type: 'address' },
    ],
    [...Object.values(infoOf(1n)), 2_000_000n, PAYER, 100, PAYER],
  )
  const charge = { ...log, topics: [TOPIC.charged, id], data: charged }
  const read = decodeLog(charge, BASE_CONTRACTS)
  assert.equal(read.kind === 'capture' && read.amount, 1_980_000n)
  assert.equal(decodeLog({ ...log, address: PAYER }, BASE_CONTRACTS).kind, 'other')
  assert.throws(() => decodeLog({ ...log, data: '0x' }, BASE_CONTRACTS), { name: 'InvalidAnswer' })
})

const INFO_COMPONENTS = [
  'address',
  'address',
  'address',
  'address',
  'uint120',
  'uint48',
  'uint48',
  'uint48',
  'uint16',
  'uint16',
  'address',
  'uint256',
] as const

function configOf(number: number) {
  return {
    payer: `0x${number.toString(16).padStart(40, 'a')}`,
    payerAuthorizer: PAYER,
    receiver: RECEIVER,
    receiverAuthorizer: RECEIVER,
    token: USDC,
    withdrawDelay: 900,
    salt: `0x${'07'.repeat(32)}`,
  } as const
}

function infoOf(salt: bigint) {
  return {
    operator: RECEIVER,
    payer: PAYER,
    receiver: RECEIVER,
    token: USDC,
    maxAmount: 5_000_000n,
    preApprovalExpiry: 1,
    authorizationExpiry: 2,
    refundExpiry: 3,
    minFeeBps: 0,
    maxFeeBps: 500,
    feeReceiver: PAYER,
    salt,
  } as const
}

function claimData(configs: readonly ReturnType<typeof configOf>[]): Hex {
  const claims = configs.map((channel) => ({
    voucher: { channel, maxClaimableAmount: 10n },
    signature: '0x1234' as const,
    totalClaimed: 9n,
  }))
  return encodeFunctionData({ abi: CLAIM_ABI, functionName: 'claim', args: [claims] })
}

/** A transaction without terms, which claims from a channel. */
function toReceipt(blockNumber: number, config: ReturnType<typeof configOf>) {
  const id = channelId(config)
  const transaction = keccak256(`${id}${blockNumber.toString(16).padStart(8, '0')}`)
  const logs = [{ logIndex: 0, ...claimOf(id) }] as const
  return { transaction, blockNumber, blockHash: transaction, toldTimestamp: null, sender: PAYER, logs }
}

type Created = { readonly block: number; readonly config: ReturnType<typeof configOf> }

/** A node with the creations of channels, which refuses ranges of more blocks. */
function toNode(created: readonly Created[], maxBlocks: number, onLogs = () => {}): Rpc {
  const answer = (method: string, [requested]: readonly unknown[]): unknown => {
    if (method === 'eth_getTransactionByHash') return { hash: requested, input: '0x' }
    if (method === 'eth_getBlockByNumber')
      return { number: requested, hash: `0x${'b'.repeat(64)}`, timestamp: requested }
    onLogs()
    const { fromBlock, toBlock } = requested as Record<'fromBlock' | 'toBlock', Hex>
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from >= maxBlocks) throw new RpcRefusal(method, { code: -32005, message: 'range is too wide' })
    return created
      .filter(({ block }) => from <= block && block <= to)
      .map(({ block, config }) => ({
        topics: [TOPIC.channelCreated, channelId(config)],
        data: encodeAbiParameters([{ type: 'tuple', components: CONFIG_TYPES.ChannelConfig }], [config]),
        blockNumber: `0x${block.toString(16)}`,
      }))
  }
  return {
    call: async (method, params) => answer(method, params),
    batch: async (requests) => requests.map(({ method, params }) => answer(method, params)),
  }
}

function claimOf(id: Hex): EscrowPayment {
  return { kind: 'claim', escrow: BASE_CONTRACTS.channelEscrow, id, amount: 1n }
}

/** By viem, from the domain that the contract declares. */
function channelId(message: ReturnType<typeof configOf>): Hex {
  return hashTypedData({
    domain: {
      name: 'x402 Batch Settlement',
      version: '1',
      chainId: 8453,
      verifyingContract: CONTRACTS.channelEscrow,
    },
    types: CONFIG_TYPES,
    primaryType: 'ChannelConfig',
    message,
  })
}

function captureId(info: ReturnType<typeof infoOf>, escrow: Address): Hex {
  const types = [{ type: 'bytes32' }, ...INFO_COMPONENTS.map((type) => ({ type }))]
  const inner = keccak256(encodeAbiParameters(types, [keccak256(toBytes(INFO_TYPE)), ...Object.values(info)]))
  const outer = [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }]
  return keccak256(encodeAbiParameters(outer, [8453n, escrow, inner]))
}
