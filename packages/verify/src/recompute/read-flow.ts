import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import type { PaymentContracts } from '../chain/contracts.ts'
import type { BlockRange } from '../chain/pieces.ts'
import { createRangeSize } from '../chain/range-size.ts'
import { readTransfers } from '../chain/transfers.ts'
import { type IndirectPayment, isFollowedPayment } from '../screen/flow/direct-moves.ts'
import { type Move, placeOf } from '../screen/flow/follow-shares.ts'
import { type Followed, judgeFlow, type MerchantFlow, NO_FLOW } from '../screen/flow/judge-flow.ts'

export type FlowQuery = BlockRange & {
  readonly rpc: Rpc
  readonly contracts: Pick<PaymentContracts, 'usdc' | 'custodians'>
  readonly merchant: Address
  /** Further wallets that count as the merchant. */
  readonly united: ReadonlySet<Address>
  /** Wallets that the merchant disclosed as its own. */
  readonly disclosed: ReadonlySet<Address>
  /** As the publisher states it: whether it left out a wallet is not checked. */
  readonly followed: Followed
  /** All payments to the merchant, and those out of escrows in which an origin or a followed wallet is payer or payee. */
  readonly payments: readonly IndirectPayment[]
}

/** Follows the money of one merchant by transfers that are read from the chain. */
export async function readFlow(query: FlowQuery, signal: AbortSignal): Promise<MerchantFlow> {
  const { merchant, united, disclosed, followed, contracts } = query
  const toOne = (wallet: Address) => (united.has(wallet) ? merchant : wallet)
  if (followed.wallets.length === 0) return NO_FLOW
  const origins = new Set([merchant, ...disclosed])
  const wallets = {
    out: [...new Set([...origins, ...united, ...followed.wallets])],
    in: followed.wallets,
  }
  const moves = new Map<string, Move>()
  const range = createRangeSize()
  for (const direction of ['out', 'in'] as const)
    for await (const some of readTransfers(
      { ...query, usdc: contracts.usdc, range, wallets: wallets[direction], direction },
      signal,
    ))
      for (const { sender, recipient, ...move } of some)
        moves.set(placeOf(move), { ...move, sender: toOne(sender), recipient: toOne(recipient) })
  const own = { merchant, origins, wallets: new Set(followed.wallets) }
  const payments = query.payments.filter((payment) => isFollowedPayment(payment, own))
  const trail = { origins, moves: [...moves.values()], hubs: new Set(followed.hubs) }
  return judgeFlow(merchant, trail, { payments, custodians: contracts.custodians })
}
