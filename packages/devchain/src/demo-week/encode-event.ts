import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBytes,
  serializeSignature,
  type TypedData,
  type TypedDataDefinition,
} from 'viem'
import { devExactProxyAbi, devUptoProxyAbi, devUsdcAbi } from '../contracts/abis.ts'
import { toPermitTransferTypedData, toPermitTypedData, toReceiveTypedData } from '../contracts/typed-data.ts'
import type { DemoEvent } from './demo-event.ts'
import type { DemoWallet } from './demo-wallet.ts'
import { toTransferDigest } from './transfer-digest.ts'

/** A contract call and the wallet that sends it. */
export type DemoCall = {
  readonly sender: DemoWallet
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
}

export type EncodeOptions = {
  /** Time of its block, epoch seconds. */
  readonly blockSeconds: number
  /** 32 bytes, unique within the week. */
  readonly nonce: Hex
  /** The number of EIP-2612 permits that the buyer has used. */
  readonly permitNonce: bigint
}

/** Maximum lifetime of the signed payments, as stock servers offer it. */
const LIFETIME_SECONDS = 60n
/** How much more than the cost a buyer of a metered merchant authorizes. */
const UPTO_SLACK = 3n
const GAS = { authorization: 140_000n, permit2: 240_000n, permit: 320_000n, transfer: 90_000n }

/** Signs what the event needs and returns the call that performs it. */
export async function encodeEvent(event: DemoEvent, options: EncodeOptions): Promise<DemoCall> {
  if (event.kind === 'transfer') {
    const data = encodeFunctionData({
      abi: devUsdcAbi,
      functionName: 'transfer',
      args: [event.to.address, event.amount],
    })
    return { sender: event.from, to: BASE.usdc, data, gas: GAS.transfer }
  }
  const path = event.kind === 'payment' ? event.path : 'bytes'
  if (path === 'upto' || path === 'upto-permit') return encodeUpto(event, options, path)
  if (path === 'exact-permit2') return encodeExactPermit2(event, options)
  return encodeAuthorization(event, options, path)
}

type Signed = Exclude<DemoEvent, { readonly kind: 'transfer' }>

async function encodeAuthorization(
  event: Signed,
  { blockSeconds, nonce }: EncodeOptions,
  path: 'parts' | 'bytes' | 'batch' | 'receive',
): Promise<DemoCall> {
  const validBefore = BigInt(blockSeconds) + (event.kind === 'refused' ? 0n : LIFETIME_SECONDS)
  const from = event.from.address
  const message = { from, to: event.to.address, value: event.amount, validAfter: 0n, validBefore, nonce }
  const digest = path === 'receive' ? toDigest(toReceiveTypedData(message)) : toTransferDigest(message)
  const signature = await event.from.sign(digest)
  const provided = [from, message.to, message.value, 0n, validBefore, nonce] as const
  const functionName = path === 'receive' ? 'receiveWithAuthorization' : 'transferWithAuthorization'
  const { r, s, yParity } = signature
  const data =
    path === 'parts'
      ? encodeFunctionData({ abi: devUsdcAbi, functionName, args: [...provided, yParity + 27, r, s] })
      : encodeFunctionData({
          abi: devUsdcAbi,
          functionName,
          args: [...provided, serializeSignature(signature)],
        })
  return { sender: event.sender, to: BASE.usdc, data, gas: GAS.authorization }
}

async function encodeUpto(
  event: Signed,
  options: EncodeOptions,
  path: 'upto' | 'upto-permit',
): Promise<DemoCall> {
  const { sender } = event
  const owner = event.from.address
  const amount = event.amount * UPTO_SLACK
  const deadline = BigInt(options.blockSeconds) + LIFETIME_SECONDS
  const nonce = BigInt(options.nonce)
  const witness = { to: event.to.address, facilitator: sender.address, validAfter: 0n }
  const signature = await signBytes(
    event.from,
    toPermitTransferTypedData({ amount, nonce, deadline, ...witness }),
  )
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline } as const
  const args = [permit, event.amount, owner, witness, signature] as const
  const to = CONTRACTS.uptoPermit2Proxy
  if (path === 'upto') {
    const data = encodeFunctionData({ abi: devUptoProxyAbi, functionName: 'settle', args })
    return { sender, to, data, gas: GAS.permit2 }
  }
  const permitted = { owner, spender: CONTRACTS.permit2, value: amount, nonce: options.permitNonce, deadline }
  const { r, s, yParity } = await event.from.sign(toDigest(toPermitTypedData(permitted)))
  const permit2612 = { value: amount, deadline, r, s, v: yParity + 27 }
  const data = encodeFunctionData({
    abi: devUptoProxyAbi,
    functionName: 'settleWithPermit',
    args: [permit2612, ...args],
  })
  return { sender, to, data, gas: GAS.permit }
}

async function encodeExactPermit2(event: Signed, options: EncodeOptions): Promise<DemoCall> {
  const { amount, sender } = event
  const deadline = BigInt(options.blockSeconds) + LIFETIME_SECONDS
  const nonce = BigInt(options.nonce)
  const witness = { to: event.to.address, validAfter: 0n }
  const transfer = { amount, nonce, deadline, ...witness, facilitator: null }
  const signature = await signBytes(event.from, toPermitTransferTypedData(transfer))
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline } as const
  const data = encodeFunctionData({
    abi: devExactProxyAbi,
    functionName: 'settle',
    args: [permit, event.from.address, witness, signature],
  })
  return { sender, to: CONTRACTS.exactPermit2Proxy, data, gas: GAS.permit2 }
}

function toDigest<const Types extends TypedData, Primary extends keyof Types | 'EIP712Domain'>(
  data: TypedDataDefinition<Types, Primary>,
): Uint8Array {
  return hexToBytes(hashTypedData(data))
}

/** The signature as 65 bytes. */
async function signBytes(wallet: DemoWallet, data: TypedDataDefinition): Promise<Hex> {
  return serializeSignature(await wallet.sign(toDigest(data)))
}
