import type { Service, ServiceName } from '../../catalogue/service.ts'
import { createInferenceService } from '../../inference/service.ts'
import { espeakNg } from '../../inference/voices/espeak-ng.ts'
import { flite } from '../../inference/voices/flite.ts'
import { loadVoiceCatalogue } from '../../inference/voices/voice-catalogue.ts'
import { createSocialService } from '../../social/service.ts'
import { createStoreProvider } from '../../social/source/store/store-provider.ts'
import type { State } from '../../state/state.ts'
import { createUtilityService } from '../../utility/service.ts'

export const PAID_SERVICES = ['social', 'utility', 'inference'] as const satisfies readonly ServiceName[]

/** An engine that does not list its voices by then is taken for absent. */
const VOICES_TIMEOUT_MS = 10_000

/** Builds one of the paid services on the process's state store. */
export async function createService(
  name: ServiceName,
  options: { baseUrl: string; state: State },
): Promise<Service> {
  const { baseUrl, state } = options
  const clock = () => new Date()
  switch (name) {
    case 'social':
      return createSocialService({ baseUrl, ports: { provider: createStoreProvider(state) } })
    case 'utility':
      return createUtilityService({ baseUrl, ports: { state, clock } })
    case 'inference':
      return createInferenceService({
        baseUrl,
        ports: {
          voices: await loadVoiceCatalogue([espeakNg, flite], AbortSignal.timeout(VOICES_TIMEOUT_MS)),
        },
      })
    default:
      throw new Error('unreachable', { cause: name satisfies never })
  }
}
