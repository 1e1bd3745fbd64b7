import type { Availability } from '../../catalogue/endpoint.ts'
import type { Problem } from '../../catalogue/problem.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { SocialPorts } from '../ports.ts'
import type { SocialOperation, SocialOperations, SocialProvider } from './provider.ts'

/** Whether the chosen source can do this, ever and now; otherwise nothing is offered for sale. */
export function checkCapability({ provider }: SocialPorts, operation: SocialOperation): Availability {
  if (!provider.operations[operation]) return { isAvailable: false, problem: notOffered(provider) }
  const retryAfterSeconds = provider.pauseSeconds?.(operation) ?? 0
  if (retryAfterSeconds === 0) return { isAvailable: true }
  const detail = 'The source of this service fails, or gives no more of this for now.'
  return { isAvailable: false, problem: { code: 'unavailable', detail, retryAfterSeconds } }
}

/**
 * The operation of the chosen source.
 * @throws ProblemError `not_offered` where the source lacks it.
 */
export function requireOperation<Name extends SocialOperation>(
  { provider }: SocialPorts,
  name: Name,
): NonNullable<SocialProvider['operations'][Name]> {
  const operation: Partial<SocialOperations>[Name] = provider.operations[name]
  if (!operation) throw new ProblemError(notOffered(provider))
  return operation
}

function notOffered({ name }: SocialProvider): Problem {
  return {
    code: 'not_offered',
    detail: `The source of this service, ${name}, has no data of this kind.`,
  }
}
