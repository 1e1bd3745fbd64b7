import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { DemoWallet } from './demo-wallet.ts'

/** How a payment is submitted. */
export type PaymentPath =
  /** `transferWithAuthorization` with v, r and s, in a transaction of its own. */
  | 'parts'
  /** The same with the signature as bytes. */
  | 'bytes'
  /** `transferWithAuthorization` among others in one Multicall3 transaction. */
  | 'batch'
  /** Through the upto proxy, over an allowance of Permit2. */
  | 'upto'
  /** Through the upto proxy, with an EIP-2612 permit. */
  | 'upto-permit'
  /** Through the exact proxy, over an allowance of Permit2. */
  | 'exact-permit2'
  /** `receiveWithAuthorization`, submitted by the merchant, who is not a facilitator. */
  | 'receive'

type Passing = { readonly from: DemoWallet; readonly to: DemoWallet; readonly amount: AtomicUsdc }

/** An event of the demo week, at an epoch second. */
export type DemoEvent = { readonly atSeconds: number } & Passing &
  (
    | { readonly kind: 'payment'; readonly path: PaymentPath; readonly sender: DemoWallet }
    /** A facilitator submits an expired authorization, and the token rejects it. */
    | { readonly kind: 'refused'; readonly sender: DemoWallet }
    /** A plain ERC-20 transfer. */
    | { readonly kind: 'transfer' }
    /** EIP-3009 between two people, submitted by a third; neither a facilitator nor a merchant is involved. */
    | { readonly kind: 'gasless'; readonly sender: DemoWallet }
  )
