import { joinMounts } from '@tollbook/cli/commands/apps'
import type { State } from '@tollbook/cli/commands/state/state'
import { service as inference } from '@tollbook/inference/open/app'
import { openService as openInference } from '@tollbook/inference/open/open-service'
import type { AppContext } from '@tollbook/runtime/app'
import { openService as openSocial } from '@tollbook/social/open/open-service'
import { openService as openUtility } from '@tollbook/utility/open/open-service'

/** A service of this repository that is paid. */
export type PaidService = 'social' | 'utility' | 'inference'
export const PAID_SERVICES = ['social', 'utility', 'inference'] as const satisfies readonly PaidService[]

/** A service as the product opens it, with the endpoints of other apps, and without a browser. */
export function openServiceOf(name: PaidService, options: Omit<AppContext<State>, 'mount'>) {
  const context = { ...options, mount: joinMounts([inference]) }
  if (name === 'social') return openSocial(context)
  return name === 'utility' ? openUtility(context, null) : openInference(context)
}
