import type { Endpoint } from '../endpoint.ts'

/** What documents show together: an endpoint, and its variants that differ only in path or pricing. */
export type Offered = { readonly endpoint: Endpoint; readonly variants: readonly Endpoint[] }

/** Groups variants with their endpoint, in order of names; one without its endpoint is alone. */
export function groupVariants(endpoints: readonly Endpoint[]): readonly Offered[] {
  const ids = new Set(endpoints.map(({ id }) => id))
  const variants = Map.groupBy(endpoints, ({ variant }) => variant?.of)
  return endpoints
    .filter(({ variant }) => variant === undefined || !ids.has(variant.of))
    .map((endpoint) => ({ endpoint, variants: (variants.get(endpoint.id) ?? []).sort(byName) }))
}

/** An endpoint, and the variants at other paths: those of the same price, and brief ones. */
export type Unaliased = { readonly endpoint: Endpoint; readonly aliases: readonly Endpoint[] }

/** The endpoints, each once; a variant of another price is an endpoint of its own, unless it is brief. */
export function withoutAliases(endpoints: readonly Endpoint[]): readonly Unaliased[] {
  return groupVariants(endpoints).flatMap(({ endpoint, variants }) => {
    const priceOf = ({ pricing, variant }: Endpoint) =>
      JSON.stringify(variant?.isBrief ? endpoint.pricing : pricing)
    return [...Map.groupBy([endpoint, ...variants], priceOf).values()].flatMap(([first, ...aliases]) =>
      first ? [{ endpoint: first, aliases }] : [],
    )
  })
}

function byName({ variant: a }: Endpoint, { variant: b }: Endpoint): number {
  return (a?.name ?? '') < (b?.name ?? '') ? -1 : 1
}
