import { BASE } from '@tollbook/chain/network'
import { signTransaction } from '@tollbook/chain/sign-transaction'
import type { Address, Hex } from 'viem'
import { batchCalls } from './batch-calls.ts'
import type { DemoEvent } from './demo-event.ts'
import { toDemoNonce } from './demo-wallet.ts'
import { type DemoCall, encodeEvent } from './encode-event.ts'

/** A signed transaction and the events it causes (several in a batch). */
export type SignedEvents = { readonly raw: Hex; readonly events: readonly DemoEvent[] }

/** Signs the week block by block, in order, because it tracks the nonces of all wallets. */
export type WeekSigner = {
  signCall(call: DemoCall): Promise<Hex>
  signBlock(events: readonly DemoEvent[], blockSeconds: number): Promise<readonly SignedEvents[]>
}

/** Above the initial base fee of a new chain (1 gwei); gas is free here. */
const FEES = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 0n }

export function createWeekSigner(seed: number): WeekSigner {
  const nonces = new Map<Address, number>()
  const permits = new Map<Address, bigint>()
  let encoded = 0
  const signCall = async ({ sender, to, data, gas }: DemoCall): Promise<Hex> => {
    const nonce = nonces.get(sender.address) ?? 0
    nonces.set(sender.address, nonce + 1)
    const transaction = { nonce, call: { to, data }, gas, fees: FEES }
    return (await signTransaction(sender, BASE.chainId, transaction)).raw
  }
  const encode = (event: DemoEvent, blockSeconds: number): Promise<DemoCall> => {
    const buyer = event.from.address
    const permitNonce = permits.get(buyer) ?? 0n
    if (event.kind === 'payment' && event.path === 'upto-permit') permits.set(buyer, permitNonce + 1n)
    const nonce = toDemoNonce(seed, encoded++)
    return encodeEvent(event, { blockSeconds, nonce, permitNonce })
  }
  const isBatched = (event: DemoEvent) => event.kind === 'payment' && event.path === 'batch'
  return {
    signCall,
    async signBlock(events, blockSeconds) {
      const single = events.filter((event) => !isBatched(event))
      const batched = events.filter(isBatched)
      const calls: DemoCall[] = []
      for (const event of batched) calls.push(await encode(event, blockSeconds))
      // One after another: the nonces of a sender rise in the order of its transactions.
      const signed: SignedEvents[] = []
      for (const event of single)
        signed.push({ raw: await signCall(await encode(event, blockSeconds)), events: [event] })
      for (const { call, members } of batchCalls(calls))
        signed.push({
          raw: await signCall(call),
          events: members.flatMap((member) => batched[member] ?? []),
        })
      return signed
    },
  }
}
