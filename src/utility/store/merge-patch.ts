import { type Fields, isFields } from './row.ts'

/** Applies a JSON merge patch (RFC 7396) to an object: null deletes, objects merge, all else replaces. */
export function mergePatch(target: Fields, patch: Fields): Fields {
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (isFields(value)) merged[name] = mergePatch(isFields(merged[name]) ? merged[name] : {}, value)
    else merged[name] = value
  }
  return merged
}
