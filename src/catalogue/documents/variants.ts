import type { Endpoint } from '../endpoint.ts'

/** What documents show together: an endpoint, and its variants that differ only in path or pricing. */
export type Offered = { readonly endpoint: Endpoint; readonly variants: readonly Endpoint[] }

/**
 * Groups each variant with its endpoint, in the order of their names; a variant whose endpoint is not in the
 * list is on its own.
 */
export function groupVariants(endpoints: readonly Endpoint[]): readonly Offered[] {
  const ids = new Set(endpoints.map(({ id }) => id))
  const variants = Map.groupBy(endpoints, ({ variant }) => variant?.of)
  return endpoints
    .filter(({ variant }) => variant === undefined || !ids.has(variant.of))
    .map((endpoint) => ({ endpoint, variants: (variants.get(endpoint.id) ?? []).sort(byName) }))
}

function byName({ variant: a }: Endpoint, { variant: b }: Endpoint): number {
  return (a?.name ?? '') < (b?.name ?? '') ? -1 : 1
}
