import { explainFailure } from '@tollbook/flow/explain-failure'

const LOOK_MS = 5_000

/** Why a service of this origin does not answer, or null if it does, whatever it answers. */
export async function findSilence(origin: string, signal: AbortSignal): Promise<string | null> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  try {
    await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: either })
    return null
  } catch (error) {
    return error instanceof Error ? explainFailure(error) : 'no answer'
  }
}
