import { createSessionKeys } from '@tollbook/social/session/session-keys'
import { inferencePorts } from '../inference/inference-ports.ts'
import { recordedVoices } from '../inference/recorded-voices.ts'

/**
 * Ports with which the examples of all services validate: the key of the examples' session, a source without issues,
 * the voices that the examples name, and no model.
 */
export const examplePorts = {
  ...inferencePorts(),
  sessions: createSessionKeys(new Uint8Array(32)),
  provider: { name: 'none', operations: {} },
  ...recordedVoices,
}
