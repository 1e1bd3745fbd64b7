import type { Address, Hex } from 'viem'
import { batchCalls } from './batch-calls.ts'
import type { DemoEvent } from './demo-event.ts'
import { toDemoNonce } from './demo-wallet.ts'
import { type DemoCall, encodeEvent } from './encode-event.ts'
import { createTransactionSigner } from './sign-transaction.ts'
import { createTransferDigest } from './transfer-digest.ts'

/** A signed transaction and the events it causes (several in a batch). */
export type SignedEvents = { readonly raw: Hex; readonly events: readonly DemoEvent[] }

/** Signs the week block by block, in order, because it tracks the nonces of all wallets. */
export type WeekSigner = {
  signCall(call: DemoCall): Hex
  signBlock(events: readonly DemoEvent[], blockSeconds: number): readonly SignedEvents[]
}

export function createWeekSigner(seed: number): WeekSigner {
  const signCall = createTransactionSigner()
  const transferDigest = createTransferDigest()
  const permits = new Map<Address, bigint>()
  let encoded = 0
  const encode = (event: DemoEvent, blockSeconds: number) => {
    const buyer = event.from.address
    const permitNonce = permits.get(buyer) ?? 0n
    if (event.kind === 'payment' && event.path === 'upto-permit') permits.set(buyer, permitNonce + 1n)
    const nonce = toDemoNonce(seed, encoded++)
    return encodeEvent(event, { blockSeconds, nonce, permitNonce, transferDigest })
  }
  const isBatched = (event: DemoEvent) => event.kind === 'payment' && event.path === 'batch'
  return {
    signCall,
    signBlock(events, blockSeconds) {
      const single = events.filter((event) => !isBatched(event))
      const batched = events.filter(isBatched)
      const batches = batchCalls(batched.map((event) => encode(event, blockSeconds)))
      return [
        ...single.map((event) => ({ raw: signCall(encode(event, blockSeconds)), events: [event] })),
        ...batches.map(({ call, members }) => ({
          raw: signCall(call),
          events: members.flatMap((member) => batched[member] ?? []),
        })),
      ]
    },
  }
}
