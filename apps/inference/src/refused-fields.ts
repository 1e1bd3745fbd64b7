import type { Issue } from '@tollbook/http/problem'

export type Refusal = {
  /** Completes the sentence that begins with the field's name. */
  readonly reason: string
  /** Whether a value requests only the default behaviour. */
  readonly isHarmless?: (value: unknown) => boolean
  /** For programs, see `Issue`. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Fields of a dialect that are rejected by name, unless they request the default behaviour. */
export type RefusedFields = Readonly<Record<string, Refusal>>

/** Accepts any value, which changes nothing: the field only serves caches, statistics or abuse detection. */
export const IGNORED: Refusal = { reason: 'is ignored', isHarmless: () => true }

export function findRefusedFields(input: Readonly<Record<string, unknown>>, refused: RefusedFields): Issue[] {
  return Object.entries(refused).flatMap(([parameter, { reason, isHarmless, details }]) => {
    const value = input[parameter]
    const isRefused = value !== undefined && value !== null && !isHarmless?.(value)
    return isRefused ? [{ parameter, detail: reason, ...(details && { details }) }] : []
  })
}
