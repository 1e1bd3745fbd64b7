import * as z from 'zod'
import { isInRange, socialId } from '../model.ts'

/** The id of the requested object, as a parameter. */
export function idField(of: 'tweet' | 'user' | 'List' | 'community' | 'media') {
  return socialId.refine(isInRange, 'must be at most 9223372036854775807').describe(`Numeric ${of} ID.`)
}

/** A screen name, or a handle that is a domain name if the source's network has those. */
export const usernameField = z
  .string()
  .regex(/^@?(\w{1,15}|[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8})$/, 'must be a screen name')
  .describe('Screen name in any case, with or without @: 1 to 15 letters, digits and underscores.')

/** A screen name in the form that sources expect. */
export function withoutAt(username: string): string {
  return username.replace(/^@/, '')
}
