import type { Endpoint } from '../endpoint.ts'

/** What documents show together: an endpoint, and its variants that differ only in path or pricing. */
export type Offered = { readonly endpoint: Endpoint; readonly variants: readonly Endpoint[] }

/**
 * Groups variants with their endpoint, in order of names. Without their endpoint, brief ones are variants of the first of
 * them, and each other one is alone.
 */
export function groupVariants(endpoints: readonly Endpoint[]): readonly Offered[] {
  const ids = new Set(endpoints.map(({ id }) => id))
  const groups = Map.groupBy(endpoints, ({ id, variant }) =>
    variant && (variant.isBrief || ids.has(variant.of)) ? variant.of : id,
  )
  return [...groups.values()].flatMap((group) => {
    const endpoint = group.find(({ variant }) => variant === undefined) ?? group[0]
    const variants = group.filter((each) => each !== endpoint).sort(byName)
    return endpoint ? [{ endpoint, variants }] : []
  })
}

/** An endpoint, and the variants at other paths: those of the same price, and brief ones. */
export type GroupedEndpoint = { readonly endpoint: Endpoint; readonly others: readonly Endpoint[] }

/** The endpoints, each once; a variant of another price is an endpoint of its own, unless it is brief. */
export function groupSamePrice(endpoints: readonly Endpoint[]): readonly GroupedEndpoint[] {
  return groupVariants(endpoints).flatMap(({ endpoint, variants }) => {
    const priceOf = ({ pricing, variant }: Endpoint) =>
      JSON.stringify(variant?.isBrief ? endpoint.pricing : pricing)
    return [...Map.groupBy([endpoint, ...variants], priceOf).values()].flatMap(([first, ...others]) =>
      first ? [{ endpoint: first, others }] : [],
    )
  })
}

function byName({ variant: a }: Endpoint, { variant: b }: Endpoint): number {
  return (a?.name ?? '') < (b?.name ?? '') ? -1 : 1
}
