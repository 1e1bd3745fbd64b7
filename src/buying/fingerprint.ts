import { createHash } from 'node:crypto'
import type { PaidRequest } from './pay.ts'

/** Equal for a request and its retry. Other headers may differ between the two, as does the boundary of a form. */
export function fingerprintOf({ method, url, headers, body }: PaidRequest): string {
  const type = headers.get('content-type') ?? ''
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1]
  const named = ['accept', 'idempotency-key'].map((name) => headers.get(name))
  const hash = createHash('sha256').update(
    JSON.stringify([method, url, type.replace(boundary ?? '', ''), named]),
  )
  if (boundary === undefined) hash.update(body ?? '')
  else
    hash.update(
      Buffer.from(body ?? [])
        .toString('latin1')
        .replaceAll(boundary, ''),
      'latin1',
    )
  return hash.digest('hex')
}
