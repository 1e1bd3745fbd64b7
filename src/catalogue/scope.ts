import type { Endpoint, Scope } from './endpoint.ts'

/** Whose data the answer to a call shows. `input` has passed the endpoint's schema. */
export function scopeOf({ scope = 'public' }: Endpoint, input: unknown): Scope {
  return typeof scope === 'function' ? scope(input) : scope
}
