import * as z from 'zod'
import type { PaidRequest } from '../pay.ts'

/** The arguments of tools that name a call. */
export const callShape = z.object({
  url: z.string().describe('The address, with path parameters filled in.'),
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('Default GET, or POST with a body.'),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional().describe('Sent as JSON.'),
  headers: z.record(z.string(), z.string()).optional(),
})

/** The request of a call. @param origins those that may be called. @throws Error with what is wrong, for the model. */
export function toRequest(
  { url, method, query, body, headers }: z.output<typeof callShape>,
  origins: readonly string[],
): PaidRequest {
  const target = URL.canParse(url) ? new URL(url) : null
  if (!target || target.username || target.password) throw new Error(`not a URL: ${url}`)
  if (!origins.includes(target.origin))
    throw new Error(`${target.origin} is not allowed; allowed: ${origins.join(', ')} (--allow adds others)`)
  for (const [name, value] of Object.entries(query ?? {})) target.searchParams.append(name, `${value}`)
  const sent = new Headers(headers)
  if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json')
  return {
    url: target.href,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: sent,
    ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
  }
}
