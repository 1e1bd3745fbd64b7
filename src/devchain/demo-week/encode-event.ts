import { type Address, encodeFunctionData, type Hex, hashTypedData, parseSignature } from 'viem'
import { BASE } from '../../money/base.ts'
import { devExactProxyAbi, devUptoProxyAbi, devUsdcAbi } from '../contracts/abis.ts'
import {
  type Authorization,
  toPermitTransferTypedData,
  toPermitTypedData,
  toReceiveTypedData,
} from '../contracts/typed-data.ts'
import type { DemoEvent } from './demo-event.ts'
import type { DemoWallet } from './demo-wallet.ts'

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
  readonly transferDigest: (authorization: Authorization) => Hex
  /** The number of EIP-2612 permits that the buyer has used. */
  readonly permitNonce: bigint
}

/** Maximum lifetime of the signed payments, as stock servers offer it. */
const LIFETIME_SECONDS = 60n
/** How much more than the cost a buyer of a metered merchant authorizes. */
const UPTO_SLACK = 3n
const GAS = { authorization: 140_000n, permit2: 240_000n, permit: 320_000n, transfer: 90_000n }

/** Signs what the event needs and returns the call that performs it. */
export function encodeEvent(event: DemoEvent, options: EncodeOptions): DemoCall {
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

function encodeAuthorization(
  event: Signed,
  { blockSeconds, nonce, transferDigest }: EncodeOptions,
  path: 'parts' | 'bytes' | 'batch' | 'receive',
): DemoCall {
  const validBefore = BigInt(blockSeconds) + (event.kind === 'refused' ? 0n : LIFETIME_SECONDS)
  const from = event.from.address
  const message = { from, to: event.to.address, value: event.amount, validAfter: 0n, validBefore, nonce }
  const digest = path === 'receive' ? hashTypedData(toReceiveTypedData(message)) : transferDigest(message)
  const signature = event.from.sign(digest)
  const given = [from, message.to, message.value, 0n, validBefore, nonce] as const
  const functionName = path === 'receive' ? 'receiveWithAuthorization' : 'transferWithAuthorization'
  const { v, r, s } = parseSignature(signature)
  const data =
    path === 'parts'
      ? encodeFunctionData({ abi: devUsdcAbi, functionName, args: [...given, Number(v), r, s] })
      : encodeFunctionData({ abi: devUsdcAbi, functionName, args: [...given, signature] })
  return { sender: event.sender, to: BASE.usdc, data, gas: GAS.authorization }
}

function encodeUpto(event: Signed, options: EncodeOptions, path: 'upto' | 'upto-permit'): DemoCall {
  const { sender } = event
  const owner = event.from.address
  const amount = event.amount * UPTO_SLACK
  const deadline = BigInt(options.blockSeconds) + LIFETIME_SECONDS
  const nonce = BigInt(options.nonce)
  const witness = { to: event.to.address, facilitator: sender.address, validAfter: 0n }
  const signature = event.from.sign(
    hashTypedData(toPermitTransferTypedData({ amount, nonce, deadline, ...witness })),
  )
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline } as const
  const args = [permit, event.amount, owner, witness, signature] as const
  const to = BASE.uptoPermit2Proxy
  if (path === 'upto') {
    const data = encodeFunctionData({ abi: devUptoProxyAbi, functionName: 'settle', args })
    return { sender, to, data, gas: GAS.permit2 }
  }
  const permitted = { owner, spender: BASE.permit2, value: amount, nonce: options.permitNonce, deadline }
  const { r, s, v } = parseSignature(event.from.sign(hashTypedData(toPermitTypedData(permitted))))
  const permit2612 = { value: amount, deadline, r, s, v: Number(v) }
  const data = encodeFunctionData({
    abi: devUptoProxyAbi,
    functionName: 'settleWithPermit',
    args: [permit2612, ...args],
  })
  return { sender, to, data, gas: GAS.permit }
}

function encodeExactPermit2(event: Signed, options: EncodeOptions): DemoCall {
  const { amount, sender } = event
  const deadline = BigInt(options.blockSeconds) + LIFETIME_SECONDS
  const nonce = BigInt(options.nonce)
  const witness = { to: event.to.address, validAfter: 0n }
  const signature = event.from.sign(
    hashTypedData(toPermitTransferTypedData({ amount, nonce, deadline, ...witness, facilitator: null })),
  )
  const permit = { permitted: { token: BASE.usdc, amount }, nonce, deadline } as const
  const data = encodeFunctionData({
    abi: devExactProxyAbi,
    functionName: 'settle',
    args: [permit, event.from.address, witness, signature],
  })
  return { sender, to: BASE.exactPermit2Proxy, data, gas: GAS.permit2 }
}
