import type { RunningFacilitator } from '../facilitator.ts'
import { createInProcessFacilitator } from './in-process-facilitator.ts'
import type { FacilitatorOptions } from './options.ts'
import { createRemoteFacilitator } from './remote/remote-facilitator.ts'

/**
 * Starts the facilitator that the settings name. Neither the chain nor a remote facilitator need answer yet:
 * `health()` says when they do.
 * @throws TypeError for a key or URL that cannot be used; WrongChain when the RPC serves another chain.
 * @example
 * const facilitator = await createFacilitator({ kind: 'remote', url, network: 'eip155:8453', logger })
 */
export function createFacilitator(options: FacilitatorOptions): Promise<RunningFacilitator> {
  return options.kind === 'remote' ? createRemoteFacilitator(options) : createInProcessFacilitator(options)
}
