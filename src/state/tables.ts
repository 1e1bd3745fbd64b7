import type { ClaimTables } from './tables/claims.ts'
import type { IndexTables } from './tables/index.ts'
import type { PageTables } from './tables/pages.ts'
import type { PaymentTables } from './tables/payments.ts'
import type { ReportTables } from './tables/report.ts'
import type { ScratchpadTables } from './tables/scratchpad.ts'
import type { SignerTables } from './tables/signer.ts'
import type { SocialTables } from './tables/social.ts'
import type { SocialSessionTables } from './tables/social-sessions.ts'
import type { TransferTables } from './tables/transfers.ts'
import type { WalletTables } from './tables/wallet.ts'

/** Every table of the state store, by the part that owns it. */
export type Tables = PaymentTables &
  WalletTables &
  ScratchpadTables &
  SocialTables &
  SocialSessionTables &
  ReportTables &
  IndexTables &
  SignerTables &
  ClaimTables &
  TransferTables &
  PageTables
