import type { ChannelConfig } from '@tollbook/chain/digests'

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
