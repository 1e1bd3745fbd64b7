import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import type { ReadChainSetting } from '../chain/chain-setting.ts'
import type { Config } from '../config.ts'

/** The key of the facilitator service; the dev chain has one. */
export function facilitatorKeyOf(config: Config, { isDev }: ReadChainSetting): `0x${string}` | undefined {
  return (
    (config.TOLLBOOK_FACILITATOR_KEY as `0x${string}` | undefined) ?? (isDev ? devFacilitatorKey : undefined)
  )
}
