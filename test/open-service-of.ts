import { joinMounts } from '../src/commands/apps.ts'
import type { State } from '../src/commands/state/state.ts'
import { app as inference } from '../src/inference/open/app.ts'
import { openService as openInference } from '../src/inference/open/open-service.ts'
import type { AppContext } from '../src/runtime/app.ts'
import type { PaidService } from '../src/runtime/places/addresses.ts'
import { openService as openSocial } from '../src/social/open/open-service.ts'
import { openService as openUtility } from '../src/utility/open/open-service.ts'

/** A service as the product opens it, with the endpoints of other apps, and without a browser. */
export function openServiceOf(name: PaidService, options: Omit<AppContext<State>, 'mount'>) {
  const context = { ...options, mount: joinMounts([inference]) }
  if (name === 'social') return openSocial(context)
  return name === 'utility' ? openUtility(context, null) : openInference(context)
}
