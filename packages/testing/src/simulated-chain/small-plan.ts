import type { Address } from '@tollbook/chain/hex'
import list from '../../../verify/src/chain/data/base-facilitators.json' with { type: 'json' }
import type { ChainPlan, SimulatedPayment } from './chain.ts'

const FACILITATOR = (list.facilitators[0]?.address ?? '0x') as Address
const STRANGER = `0x${'57'.repeat(20)}` as const

/**
 * A few payments per block, in every way: alone, in batches of three, through a Permit2 proxy, sent by a
 * known facilitator or by a stranger. The amount encodes block, place and fork, so that no two are equal.
 */
export const smallPlan: ChainPlan = (block, fork) => {
  const pay = (place: number, by: SimulatedPayment['by'] = 'authorization'): SimulatedPayment => ({
    buyer: toWallet(0xb0, (block * 7 + place) % 50),
    merchant: toWallet(0x5e, (block * 3 + place) % 20),
    amount: (block * 10 + place) * 10 + fork + 1,
    by,
  })
  const sender = block % 5 === 0 ? STRANGER : FACILITATOR
  return [
    ...(block % 3 === 0 ? [] : [{ sender, payments: [pay(0)] }]),
    ...(block % 10 === 0 ? [{ sender, payments: [pay(1), pay(2), pay(3)] }] : []),
    ...(block % 7 === 0 ? [{ sender, payments: [pay(4, 'permit2')] }] : []),
    { sender: FACILITATOR, payments: [pay(5)] },
  ]
}

function toWallet(kind: number, number: number): Address {
  return `0x${kind.toString(16).padStart(2, '0')}${number.toString(16).padStart(38, '0')}`
}
