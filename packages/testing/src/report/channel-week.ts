import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { toReceiveTypedData } from '@tollbook/devchain/contracts/typed-data'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import { computeChannelId, signVoucher } from '@x402/evm/batch-settlement/client'
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, zeroAddress } from 'viem'
import { devChannelEscrowAbi } from '../chain/dev-abis.ts'
import { placeCaptureEscrow, toCapturable } from './captures.ts'
import { type Call, clientAccount, sendCall, toAuthorizedTransfer } from './chain-payments.ts'
import { BAR, FACILITATOR, SHOP, walletOf } from './paid-week.ts'

const WEEK_SECONDS = 7 * 86_400
const FOREVER = 2n ** 40n
const NO_SALT = `0x${'00'.repeat(32)}` as const
const [COLLECTOR] = CONTRACTS.channelCollectors

/** The call of a function of the escrow. */
export function toEscrowCall(functionName: string, args: readonly unknown[]): Call {
  // viem cannot type a call whose function is a variable.
  const call = { abi: devChannelEscrowAbi, functionName, args } as unknown
  return {
    to: CONTRACTS.channelEscrow,
    data: encodeFunctionData(call as Parameters<typeof encodeFunctionData<typeof devChannelEscrowAbi>>[0]),
  }
}

/**
 * Plays a week in which the shop is paid over channels and by captures, in micro-USDC:
 *   account 0 deposits 50,000; claims of 12,000 and 8,000, of which the first shares a batch with one of 7,000 from
 *   account 1 to the bar; a refund of 10,000; after a top-up of 20,000, a claim of 5,000
 *   account 2 deposits 30,000 before the week, and 9,000 are claimed in it
 *   account 3 pays 700,000 by its signature
 *   account 4 authorizes 800,000 of 900,000; captures of 400,000 with a fee of 2.5 % and of 100,000; the rest is voided
 *   account 5 is charged 300,000 with a fee of 1 %
 * The shop's claims are settled twice. After the week, another 1,000 of account 0 are claimed.
 * The shop gets 12,000 + 8,000 + 5,000 + 9,000 + 700,000 + 390,000 + 100,000 + 297,000 = 1,521,000 in 8, after fees of
 * 10,000 + 3,000.
 * @returns when the week ended, epoch seconds.
 */
export async function playChannelWeek(chain: DevChain): Promise<number> {
  const end = lastWeekEnd(Math.floor(Date.now() / 1000))
  const toEscrow = (functionName: string, ...args: readonly unknown[]) =>
    sendCall(chain, FACILITATOR, toEscrowCall(functionName, args))
  const settle = () => toEscrow('settle', SHOP, BASE.usdc)
  const ann = toChannel(0, SHOP)
  const ben = toChannel(1, BAR)
  const cat = toChannel(2, SHOP)
  const capturable = { receiver: SHOP, operator: FACILITATOR }
  const held = await toCapturable({ payer: 4, max: 900_000n, salt: 1n, ...capturable })
  const charged = await toCapturable({ payer: 5, max: 300_000n, salt: 2n, ...capturable })

  await chain.fundGas(FACILITATOR)
  await placeCaptureEscrow(chain)
  await chain.skipTime(end - WEEK_SECONDS - chain.genesisSeconds - 3_600)
  await toEscrow('deposit', ...(await cat.deposit(30_000n)))
  await chain.skipTime(86_400)
  await toEscrow('deposit', ...(await ann.deposit(50_000n)))
  await toEscrow('deposit', ...(await ben.deposit(30_000n)))
  await toEscrow('claim', [await ann.claim(12_000n), await ben.claim(7_000n)])
  await toEscrow('claim', [await ann.claim(20_000n), await cat.claim(9_000n)])
  await settle()
  await chain.skipTime(86_400)
  await toEscrow('refund', ann.config, 10_000n)
  await toEscrow('deposit', ...(await ann.deposit(20_000n)))
  await toEscrow('claim', [await ann.claim(25_000n)])
  await settle()
  const plain = { payer: 3, to: SHOP, amount: 700_000n, salt: 'channel week' }
  await sendCall(chain, FACILITATOR, await toAuthorizedTransfer(plain))
  for (const call of [
    held.authorize(800_000n),
    held.capture(400_000n, 250, walletOf(7)),
    held.capture(100_000n, 0, zeroAddress),
    held.void(),
    charged.charge(300_000n, 100, walletOf(7)),
  ])
    await sendCall(chain, FACILITATOR, call)
  await chain.skipTime(WEEK_SECONDS)
  await toEscrow('claim', [await ann.claim(26_000n)])
  return end
}

/** A channel of a client account. @param authorizer sends its claims and refunds */
export function toChannel(payer: number, receiver: Address, authorizer: Address = FACILITATOR) {
  const account = clientAccount(payer)
  const config = {
    payer: account.address,
    payerAuthorizer: account.address,
    receiver,
    receiverAuthorizer: authorizer,
    token: BASE.usdc,
    withdrawDelay: 900,
    salt: NO_SALT,
  } as const
  const id = computeChannelId(config, BASE.id)
  let salt = 0n
  return {
    config,
    /** The arguments of a deposit. */
    async deposit(amount: bigint) {
      salt += 1n
      const nonce = keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [id, salt]))
      const message = {
        from: account.address,
        to: COLLECTOR,
        value: amount,
        validAfter: 0n,
        validBefore: FOREVER,
        nonce,
      }
      const signature = await account.signTypedData(toReceiveTypedData(message))
      const types = ['uint256', 'uint256', 'uint256', 'bytes'].map((type) => ({ type }))
      const data: Hex = encodeAbiParameters(types, [0n, FOREVER, salt, signature])
      return [config, amount, COLLECTOR, data] as const
    },
    /** A claim up to this sum of the channel's life. */
    async claim(total: bigint) {
      const { signature } = await signVoucher(account, id, total.toString(), BASE.id)
      return { voucher: { channel: config, maxClaimableAmount: total }, signature, totalClaimed: total }
    },
  }
}
