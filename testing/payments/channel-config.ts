import type { ChannelConfig } from '../../src/chain/digests.ts'

const WALLET = `0x${'bb'.repeat(20)}` as const

/** Terms of a channel that is on no chain. */
export const CHANNEL_CONFIG: ChannelConfig = {
  payer: WALLET,
  payerAuthorizer: WALLET,
  receiver: WALLET,
  receiverAuthorizer: WALLET,
  token: WALLET,
  withdrawDelay: 900,
  salt: `0x${'00'.repeat(32)}`,
}
