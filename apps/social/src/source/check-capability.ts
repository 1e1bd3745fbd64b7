import type { Availability } from '@tollbook/endpoints/endpoint'
import type { Problem } from '@tollbook/http/problem'
import { ProblemError } from '@tollbook/http/problem'
import type { SocialOperation, SocialOperations, SocialProvider } from './provider.ts'

/** Of the ports of the service. */
type Source = { readonly provider: SocialProvider }

/**
 * Checks whether the configured source supports the operation and is available; otherwise the endpoint is not
 * for sale.
 */
export function checkCapability({ provider }: Source, operation: SocialOperation): Availability {
  if (!provider.operations[operation]) return { isAvailable: false, problem: notOffered(provider) }
  const retryAfterSeconds = provider.pauseSeconds?.(operation) ?? 0
  if (retryAfterSeconds === 0) return { isAvailable: true }
  const detail = 'The source of this service is failing or rate limited for this operation; retry later.'
  return { isAvailable: false, problem: { code: 'unavailable', detail, retryAfterSeconds } }
}

/** The operation of the configured source. @throws ProblemError `not_offered` if the source lacks it. */
export function requireOperation<Name extends SocialOperation>(
  { provider }: Source,
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
