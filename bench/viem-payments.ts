import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { formatTransactionReceipt, parseAbi, parseEventLogs, type RpcTransactionReceipt } from 'viem'

/** The package that the joining is measured against; package.json pins it. */
export const VIEM = 'viem 2.57.1'

const ABI = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

type Joined = { buyer: string; merchant: string; amount: bigint; facilitator: string; transaction: string }

/**
 * The minimum that one would write with viem: format each receipt, decode its logs, and join each
 * authorization with the transfer that follows it. Logs are not compared with receipts, and only viem's own
 * checks run.
 * @param bodies of JSON-RPC batches; anything other than a receipt is parsed and skipped.
 * @returns the number of payments joined.
 */
export function joinWithViem(bodies: readonly Uint8Array[]): number {
  const joined: Joined[] = []
  for (const body of bodies) {
    const answers = JSON.parse(new TextDecoder().decode(body)) as readonly { readonly result: unknown }[]
    for (const { result } of answers) {
      if (typeof result !== 'object' || result === null || !('logs' in result)) continue
      // Recorded answers of eth_getTransactionReceipt.
      const receipt = formatTransactionReceipt(result as RpcTransactionReceipt)
      const events = parseEventLogs({ abi: ABI, logs: receipt.logs })
      for (const [at, used] of events.entries()) {
        const next = events[at + 1]
        if (used.eventName !== 'AuthorizationUsed' || next?.eventName !== 'Transfer') continue
        if (next.address !== BASE_CONTRACTS.usdc || next.args.from !== used.args.authorizer) continue
        const { from: buyer, to: merchant, value: amount } = next.args
        joined.push({
          buyer,
          merchant,
          amount,
          facilitator: receipt.from,
          transaction: receipt.transactionHash,
        })
      }
    }
  }
  return joined.length
}
