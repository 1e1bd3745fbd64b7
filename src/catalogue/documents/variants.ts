import type { Endpoint } from '../endpoint.ts'

/** What documents show in one place: an endpoint, and what differs from it in path or pricing alone. */
export type Offered = { readonly endpoint: Endpoint; readonly variants: readonly Endpoint[] }

/** Puts each variant beside its endpoint, in the order of their names, and by itself where that one is not among these. */
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
