import type { Service } from '@tollbook/endpoints/service'
import type { AppContext } from '@tollbook/runtime/app'
import { createSocialService } from '../service.ts'
import type { State } from '../state/state.ts'
import { openSocial } from './open-social.ts'

/** The social service as configured. */
export async function openService(context: AppContext<State>): Promise<Service> {
  return createSocialService({ baseUrl: context.baseUrl, ...(await openSocial(context)) })
}
