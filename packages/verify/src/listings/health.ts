/** What an unpaid request to a listed endpoint showed, for readers. */
export const HEALTH = {
  payable: 'Answers 402 with the listed terms',
  unclear: 'Rejects an empty request before it states terms',
  no_402: 'Does not answer 402',
  invalid_terms: 'Answers 402 without valid terms in USDC on Base',
  payee_differs: 'Requests payment to another wallet',
  price_differs: 'Requests another price',
  expired: 'States terms that have expired',
  unreachable: 'Cannot be reached',
} as const
export type HealthState = keyof typeof HEALTH
export const HEALTH_STATES = Object.keys(HEALTH) as [HealthState, ...HealthState[]]

/** @param since when an unpaid request first showed this state. */
export type EndpointHealth = { readonly state: HealthState; readonly since: Date }
