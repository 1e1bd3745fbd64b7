import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { Sessions } from './sessions.ts'

/** Headers that carry both values, so that they are not part of a URL, which proxies log. */
export const CREDENTIAL_HEADERS = Object.freeze({ 'x-auth-token': 'auth_token', 'x-ct0': 'ct0' })

/** The token of a session, as a parameter. */
export const authTokenField = z
  .string()
  .regex(/^[0-9a-f]{40}$/, 'must be the 40 hex digits of a session of this service')
  .describe(
    'Session token of this service, from GET /auth/x/start: 40 hex digits; also as header X-Auth-Token.',
  )

/** The second value of a session, as a parameter. Any value but the session's own is rejected. */
export const ct0Field = z
  .string()
  .min(1)
  .max(256)
  .describe('Second value of the session, issued with auth_token: 64 hex digits; also as header X-Ct0.')

type Credentials = { readonly auth_token: string; readonly ct0?: string | undefined }

/** The session in examples; its second value belongs to it under a key of 32 zero bytes. */
export const EXAMPLE_SESSION = {
  auth_token: '0123456789abcdef0123456789abcdef01234567',
  ct0: 'e5914e0bd41f52b5fc16dd3044acf219d05ea3725ac040f13de75555251294f1',
} as const

/** An issue if the two values of a session do not match; needs no lookup of the session. */
export function findCredentialIssues(
  { auth_token, ct0 }: Credentials,
  { sessions }: { readonly sessions: Pick<Sessions, 'isCt0Of'> },
): readonly Issue[] {
  if (ct0 === undefined || sessions.isCt0Of(auth_token, ct0)) return []
  return [{ parameter: 'ct0', detail: 'does not belong to the auth_token', code: 'credential_refused' }]
}
