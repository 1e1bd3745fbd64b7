import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import { toReceiveTypedData } from '@tollbook/devchain/contracts/typed-data'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, zeroAddress } from 'viem'
import runtimeCode from '../../../devchain/src/contracts/runtime-code.json' with { type: 'json' }
import { devCaptureEscrowAbi } from '../chain/dev-abis.ts'
import { type Call, clientAccount } from './chain-payments.ts'

const [, ESCROW] = CONTRACTS.captureEscrows
const FOREVER = 2 ** 40
const [INFO] = devCaptureEscrowAbi[0].inputs
const TYPEHASH = keccak256(
  Buffer.from(`PaymentInfo(${INFO.components.map(({ type, name }) => `${type} ${name}`).join(',')})`),
)

/** Places an escrow of authorize-and-capture payments at its address on Base. */
export async function placeCaptureEscrow(chain: DevChain): Promise<void> {
  await chain.rpc.call('anvil_setCode', [ESCROW, runtimeCode.DevCaptureEscrow])
}

/** Calls of the operator for a payment that a client account signs. @param max what it signs, micro-USDC */
export async function toCapturable(of: {
  readonly payer: number
  readonly receiver: Address
  readonly operator: Address
  readonly max: bigint
  /** Makes payments unique. */
  readonly salt: bigint
}) {
  const account = clientAccount(of.payer)
  const info = {
    operator: of.operator,
    payer: account.address,
    receiver: of.receiver,
    token: BASE.usdc,
    maxAmount: of.max,
    preApprovalExpiry: FOREVER,
    authorizationExpiry: FOREVER,
    refundExpiry: FOREVER,
    minFeeBps: 0,
    maxFeeBps: 1_000,
    feeReceiver: zeroAddress,
    salt: of.salt,
  } as const
  const signature = await account.signTypedData(
    toReceiveTypedData({
      from: account.address,
      to: ESCROW,
      value: of.max,
      validAfter: 0n,
      validBefore: BigInt(FOREVER),
      nonce: toHash({ ...info, payer: zeroAddress }),
    }),
  )
  const toCall = (data: Hex): Call => ({ to: ESCROW, data })
  const abi = devCaptureEscrowAbi
  return {
    authorize: (amount: bigint) =>
      toCall(encodeFunctionData({ abi, functionName: 'authorize', args: [info, amount, ESCROW, signature] })),
    capture: (amount: bigint, feeBps: number, feeReceiver: Address) =>
      toCall(encodeFunctionData({ abi, functionName: 'capture', args: [info, amount, feeBps, feeReceiver] })),
    charge: (amount: bigint, feeBps: number, feeReceiver: Address) => {
      const args = [info, amount, ESCROW, signature, feeBps, feeReceiver] as const
      return toCall(encodeFunctionData({ abi, functionName: 'charge', args }))
    },
    void: () => toCall(encodeFunctionData({ abi, functionName: 'void', args: [info] })),
  }
}

/** The id of a payment: the hash of its terms, of the chain and of the escrow. */
function toHash(info: Readonly<Record<string, unknown>>): Hex {
  const fields = [{ type: 'bytes32' }, ...INFO.components]
  const terms = keccak256(encodeAbiParameters(fields, [TYPEHASH, ...Object.values(info)] as never))
  const place = [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }]
  return keccak256(encodeAbiParameters(place, [BASE.chainId, ESCROW, terms]))
}
